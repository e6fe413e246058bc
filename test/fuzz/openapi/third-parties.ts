import { vi } from "vitest";

const DNS = "cloudflare-dns.com";
const ANSWER = { Status: 0, Answer: [{ type: 1, TTL: 300, data: "93.184.216.34" }] };

/**
 * Replaces `fetch` with a network in which names under example.com resolve, other names do not, and
 * every connection fails. Returns a function that restores `fetch`.
 */
export function isolateNetwork(): () => void {
  const spy = vi.spyOn(globalThis, "fetch").mockImplementation(async (input, init) => {
    const url = new URL(new Request(input, init).url);
    if (url.hostname !== DNS) throw new TypeError("Network connection lost.");
    const name = url.searchParams.get("name") ?? "";
    const isOurs = name.endsWith("example.com") && url.searchParams.get("type") === "A";
    return Response.json(isOurs ? ANSWER : { Status: 0, Answer: [] });
  });
  return () => spy.mockRestore();
}
