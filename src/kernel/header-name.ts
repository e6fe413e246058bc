/** A regular expression character class for header names (RFC 9110, 5.6.2). */
export const HEADER_NAME_CHARACTER = "[A-Za-z0-9!#$%&'*+.^_`|~-]";
export const HEADER_NAME_PATTERN = new RegExp(`^${HEADER_NAME_CHARACTER}+$`);

/** Headers that frame the request, in addition to `Content-*`. */
const FRAMING = "connection content-length expect host te trailer transfer-encoding upgrade".split(
  " ",
);
const CONNECTION = [...FRAMING, "keep-alive", "proxy-connection"];
const RUNTIME_SET = new Set([...CONNECTION, "proxy-authenticate", "proxy-authorization"]);

/**
 * Headers that egress removes because the runtime manages the connection. `Upgrade`, for example, would switch the
 * connection to another protocol.
 */
export const EGRESS_REMOVED_HEADERS = [...CONNECTION, "accept-encoding"];

export function isHeaderName(text: string): boolean {
  return HEADER_NAME_PATTERN.test(text);
}

/** Whether a secret sent in this header would break the request. */
export function isFramingHeader(name: string): boolean {
  const lowered = name.toLowerCase();
  return FRAMING.includes(lowered) || lowered.startsWith("content-");
}

/** Whether the runtime sets this connection or framing header. */
export function isRuntimeHeader(name: string): boolean {
  return RUNTIME_SET.has(name.toLowerCase());
}

/**
 * Whether parameters and configuration must not set this header, because the runtime sets it or it identifies the
 * caller.
 */
export function isReservedHeader(name: string): boolean {
  return isRuntimeHeader(name) || ["authorization", "cookie"].includes(name.toLowerCase());
}
