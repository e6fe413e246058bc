// The service worker for /docs/. Stores the guides on installation, and serves them when the network fails.
const CACHE = "guides-%VERSION%";
const FILES = "%FILES%".split(" ");

const isOlder = (name) => name.startsWith("guides-") && name !== CACHE;

self.addEventListener("install", (event) => {
  const store = async () => {
    const cache = await caches.open(CACHE);
    await cache.addAll(FILES);
    await self.skipWaiting();
  };
  event.waitUntil(store());
});

self.addEventListener("activate", (event) => {
  const deleteOthers = async () => {
    const names = await caches.keys();
    await Promise.all(names.filter(isOlder).map((name) => caches.delete(name)));
    await self.clients.claim();
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
      const cache = await caches.open(CACHE);
      return (await cache.match(pathname)) ?? Response.error();
    }
  };
  event.respondWith(respond());
});
