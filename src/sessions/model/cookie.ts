/** On https, the prefix makes browsers reject the cookie unless it is Secure, for this host only and for every path. */
const COOKIE = "__Host-bosun";
/** Browsers reject the prefix over plain http, which only loopback names use. */
const LOOPBACK_COOKIE = "bosun";

/** 256 random bits in base64url. */
const SECRET = /^[A-Za-z0-9_-]{43}$/;

export function cookieNameOf(isHttps: boolean): string {
  return isHttps ? COOKIE : LOOPBACK_COOKIE;
}

/** The `Set-Cookie` value that stores a session's secret for `maxAgeSeconds`; 0 removes the cookie. */
export function formatCookie(isHttps: boolean, secret: string, maxAgeSeconds: number): string {
  const attributes = ["Path=/", `Max-Age=${maxAgeSeconds}`, "HttpOnly", "SameSite=Strict"];
  if (isHttps) attributes.push("Secure");
  return [`${cookieNameOf(isHttps)}=${secret}`, ...attributes].join("; ");
}

/** The session's secret in a Cookie header, or null. If the cookie appears twice, neither is used. */
export function readCookie(header: string | undefined, isHttps: boolean): string | null {
  const prefix = `${cookieNameOf(isHttps)}=`;
  const found = (header ?? "")
    .split(";")
    .map((part) => part.trim())
    .filter((part) => part.startsWith(prefix));
  const value = found.length === 1 ? (found[0] ?? "").slice(prefix.length) : "";
  return SECRET.test(value) ? value : null;
}
