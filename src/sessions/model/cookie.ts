/** On https, the prefix makes browsers reject the cookie unless it is Secure, for this host only and for every path. */
const COOKIE = "__Host-bosun";
/**
 * Browsers reject the prefix over plain http, which only loopback names use. They send a cookie to all ports of a host, so
 * the name contains the port. Otherwise, signing in to one local service would end the session with another.
 */
const LOOPBACK_COOKIE = "bosun";

/** 256 random bits in base64url. */
const SECRET = /^[A-Za-z0-9_-]{43}$/;

/** `origin`: the service's origin, such as `http://localhost:8787`. */
export function cookieNameOf(origin: string): string {
  const { protocol, port } = new URL(origin);
  if (protocol === "https:") return COOKIE;
  return port === "" ? LOOPBACK_COOKIE : `${LOOPBACK_COOKIE}-${port}`;
}

/** The `Set-Cookie` value that stores a session's secret for `maxAgeSeconds`; 0 removes the cookie. */
export function formatCookie(origin: string, secret: string, maxAgeSeconds: number): string {
  const attributes = ["Path=/", `Max-Age=${maxAgeSeconds}`, "HttpOnly", "SameSite=Strict"];
  const name = cookieNameOf(origin);
  if (name === COOKIE) attributes.push("Secure");
  return [`${name}=${secret}`, ...attributes].join("; ");
}

/** The session's secret in a Cookie header, or null. If the cookie appears twice, neither is used. */
export function readCookie(header: string | undefined, origin: string): string | null {
  if (header === undefined) return null;
  const prefix = `${cookieNameOf(origin)}=`;
  const found = header
    .split(";")
    .map((part) => part.trim())
    .filter((part) => part.startsWith(prefix));
  const value = found.length === 1 ? (found[0] ?? "").slice(prefix.length) : "";
  return SECRET.test(value) ? value : null;
}
