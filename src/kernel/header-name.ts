/** A character of a header name (RFC 9110, 5.6.2), as a class of a regular expression. */
export const HEADER_NAME_CHARACTER = "[A-Za-z0-9!#$%&'*+.^_`|~-]";
export const HEADER_NAME_PATTERN = new RegExp(`^${HEADER_NAME_CHARACTER}+$`);

/** Headers that make up the request itself, in addition to `Content-*`. */
const FRAMING = "connection content-length expect host te trailer transfer-encoding upgrade".split(
  " ",
);
const CONNECTION = [...FRAMING, "keep-alive", "proxy-connection"];
const RUNTIME_SET = new Set([...CONNECTION, "proxy-authenticate", "proxy-authorization"]);

/** Headers that egress removes, because the runtime manages the connection: `Upgrade` would leave HTTP. */
export const EGRESS_REMOVED_HEADERS = [...CONNECTION, "accept-encoding"];

export function isHeaderName(text: string): boolean {
  return HEADER_NAME_PATTERN.test(text);
}

/** Whether a secret in this header would break the request. */
export function isFramingHeader(name: string): boolean {
  const lowered = name.toLowerCase();
  return FRAMING.includes(lowered) || lowered.startsWith("content-");
}

/** Whether the runtime sets this header of the connection or of framing. */
export function isRuntimeHeader(name: string): boolean {
  return RUNTIME_SET.has(name.toLowerCase());
}

/** Whether no parameter may set this header, because the runtime sets it or it is the caller's identity. */
export function isReservedHeader(name: string): boolean {
  return isRuntimeHeader(name) || ["authorization", "cookie"].includes(name.toLowerCase());
}
