const LOOPBACK = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/;

/**
 * Whether a browser's page at `origin` may speak to the service at `url`: only its own pages may. By plain
 * http they must be on this very machine, as a foreign name can be made to lead here (DNS rebinding).
 */
export function isOwnOrigin(origin: string, url: URL): boolean {
  return origin === url.origin && (url.protocol === "https:" || isLoopback(url));
}

/** Whether a URL leads to this very machine, whatever name servers say. */
export function isLoopback(url: URL): boolean {
  return LOOPBACK.test(url.hostname);
}
