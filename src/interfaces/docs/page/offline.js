// The service worker of /docs/: stores the guides at its first start, and serves them when the network fails.
const CACHE = "guides-%VERSION%";
const FILES = "%FILES%".split(" ");

self.addEventListener("install", (event) => {
  event.waitUntil(caches.open(CACHE).then((cache) => cache.addAll(FILES)));
});

self.addEventListener("activate", (event) => {
  const deleteOthers = async () => {
    const names = await caches.keys();
    await Promise.all(names.filter((name) => name !== CACHE).map((name) => caches.delete(name)));
  };
  event.waitUntil(deleteOthers());
});

self.addEventListener("fetch", (event) => {
  const { pathname } = new URL(event.request.url);
  if (event.request.method !== "GET" || !FILES.includes(pathname)) return;
  const respond = async () => {
    try {
      return await fetch(event.request);
    } catch {
      return (await caches.match(pathname)) ?? Response.error();
    }
  };
  event.respondWith(respond());
});
