import type { EgressFailure } from "./contract.ts";
import { URL_BYTES_MAX } from "../../kernel/limits.ts";
import { preview } from "../../kernel/result.ts";
import ipaddr from "ipaddr.js";

/** Range names for messages. Every other range except `unicast` counts as reserved. */
const RANGE_NAMES: Readonly<Record<string, string>> = {
  loopback: "a loopback address",
  private: "a private address",
  uniqueLocal: "a private address",
  deprecatedSiteLocal: "a private address",
  linkLocal: "a link-local address",
  carrierGradeNat: "a carrier-grade NAT address",
  multicast: "a multicast address",
  broadcast: "a broadcast address",
  unspecified: "an unspecified address",
  ipv4Mapped: "an IPv4 address embedded in IPv6",
  rfc6145: "an IPv4 address embedded in IPv6",
  rfc6052: "an IPv4 address embedded in IPv6",
  "6to4": "an IPv4 address embedded in IPv6",
  teredo: "an IPv4 address embedded in IPv6",
};
const RESERVED = "a reserved address";
/** Metadata addresses of cloud providers. Azure's is a public address; the others are listed for better messages. */
const METADATA_ADDRESSES: ReadonlySet<string> = new Set([
  "168.63.129.16",
  "169.254.169.254",
  "169.254.170.2",
  "100.100.100.200",
  "192.0.0.192",
  "fd00:ec2::254",
  "fd20:ce::254",
]);
/** The IPv6 range that IANA has allocated for the public internet. */
const GLOBAL_UNICAST = ipaddr.IPv6.parseCIDR("2000::/3");

/** Whether this is an IPv4 address with four decimal parts or an IPv6 address without a zone. */
function isIpAddress(text: string): boolean {
  return ipaddr.IPv4.isValidFourPartDecimal(text) || (isIpv6(text) && !text.includes("%"));
}

/** Why requests to an IP address are not allowed, such as "a loopback address"; null for a public address. */
export function checkIpAddress(ip: string): string | null {
  if (!isIpAddress(ip)) return "not an IP address";
  if (ip.includes(":")) return checkIpv6(ipaddr.IPv6.parse(ip));
  const address = ipaddr.IPv4.parse(ip);
  if (METADATA_ADDRESSES.has(address.toString())) return "a cloud metadata address";
  const range = address.range();
  return range === "unicast" ? null : (RANGE_NAMES[range] ?? RESERVED);
}

function checkIpv6(address: ipaddr.IPv6): string | null {
  if (METADATA_ADDRESSES.has(address.toRFC5952String())) return "a cloud metadata address";
  const range = address.range();
  if (range !== "unicast") return RANGE_NAMES[range] ?? RESERVED;
  return address.match(GLOBAL_UNICAST) ? null : RESERVED;
}

function isIpv6(text: string): boolean {
  return text.includes(":") && ipaddr.IPv6.isValid(text);
}

/**
 * Domains that do not exist on the public internet: names from RFC 6761, 6762, 7686, 8375 and 9476, ICANN's private-use
 * names, and common names of routers and clusters.
 */
const LOCAL_DOMAINS = [
  "localhost",
  "localdomain",
  "local",
  "internal",
  "intranet",
  "private",
  "corp",
  "home",
  "lan",
  "home.arpa",
  "test",
  "example",
  "invalid",
  "onion",
  "alt",
];
const HOST_CHARACTERS_MAX = 253;
const LABEL = /^[a-z\d_-]{1,63}$/;

/**
 * Why a URL is not allowed, judging only by its text. Completes "The address …"; null if nothing is wrong. The host
 * name is not resolved.
 */
export function checkAddress(url: URL): string | null {
  return checkUrlForm(url) ?? checkHost(url);
}

/** The checks that apply even if private addresses are allowed. */
function checkUrlForm(url: URL): string | null {
  if (url.protocol !== "https:" && url.protocol !== "http:") {
    return `must start with https:// or http://, not ${preview(url.protocol)}`;
  }
  if (url.username !== "" || url.password !== "") {
    return "must not contain a user name or password; send credentials separately";
  }
  if (url.hostname === "") return "must have a host";
  return url.href.length > URL_BYTES_MAX ? `must be at most ${URL_BYTES_MAX} bytes long` : null;
}

/**
 * Why a secret must not be sent to this URL; null if it may be sent. Over http, anyone on the network path can read the
 * secret.
 */
function checkSecretUrl({ protocol }: URL): string | null {
  return protocol === "https:" ? null : "must start with https://, because secrets are sent to it";
}

/** A URL's host as an IP address without brackets; null if the host is a name. */
function parseHostIp({ hostname }: URL): string | null {
  const bare = hostname.startsWith("[") ? hostname.slice(1, -1) : hostname;
  return isIpAddress(bare) ? bare : null;
}

/** A URL for messages, without its path and query, which may contain keys. */
export function redactUrl(url: URL): string {
  return url.host === "" ? url.protocol : `${url.protocol}//${url.host}`;
}

/** Explains why a host's IP address is not allowed. */
function formatForbiddenIp(ip: string, problem: string): string {
  return `points to ${ip}, ${problem}, which is not allowed`;
}

function checkHost(url: URL): string | null {
  const ip = parseHostIp(url);
  if (ip !== null) {
    const problem = checkIpAddress(ip);
    return problem === null ? null : formatForbiddenIp(ip, problem);
  }
  const { hostname } = url;
  if (hostname.endsWith(".")) return "must not have a host that ends with a dot";
  const labels = hostname.split(".");
  if (hostname.length > HOST_CHARACTERS_MAX || !labels.every((label) => LABEL.test(label))) {
    return `must have a valid host, not ${preview(hostname)}`;
  }
  const isUnknown = LOCAL_DOMAINS.some((name) => `.${hostname}`.endsWith(`.${name}`));
  if (isUnknown || labels.length === 1) {
    return `has the host ${preview(hostname)}, which is not allowed because it does not exist on the public internet`;
  }
  return null;
}

/** Why a request to a URL, with or without a secret, is currently not allowed; null if it is allowed. */
export type EgressGuard = (
  url: URL,
  sendsSecret: boolean,
  caller: AbortSignal | null,
) => Promise<EgressFailure | null>;

export function createEgressGuard(
  env: Pick<Env, "ALLOW_PRIVATE_EGRESS" | "DNS_RESOLVER_URL">,
): EgressGuard {
  return env.ALLOW_PRIVATE_EGRESS === "true"
    ? async (url) => forbiddenAddress(url, checkUrlForm(url))
    : (url, sendsSecret, caller) =>
        checkResolvedAddress(url, sendsSecret, { resolverUrl: env.DNS_RESOLVER_URL, caller });
}

/** Every address of a name must be allowed, because the runtime may use any of them. */
async function checkResolvedAddress(
  url: URL,
  sendsSecret: boolean,
  { resolverUrl, caller }: { resolverUrl: string; caller: AbortSignal | null },
): Promise<EgressFailure | null> {
  const problem = checkAddress(url) ?? (sendsSecret ? checkSecretUrl(url) : null);
  if (problem !== null || parseHostIp(url) !== null) return forbiddenAddress(url, problem);
  const name = url.hostname;
  // Loaded on first use, because it imports Zod.
  const { resolveAddresses } = await import("./dns-resolver.ts");
  const resolved = await resolveAddresses(name, resolverUrl, caller);
  if (!resolved.ok) {
    const reason = `the name ${name} cannot be resolved at the moment: ${resolved.failure}`;
    return { kind: "unreachable", reason, isResolverOutage: true };
  }
  if (resolved.value.length === 0) {
    return { kind: "unreachable", reason: `the name ${name} does not resolve` };
  }
  for (const ip of resolved.value) {
    const ipReason = checkIpAddress(ip);
    if (ipReason !== null) return forbiddenAddress(url, formatForbiddenIp(ip, ipReason));
  }
  return null;
}

function forbiddenAddress(url: URL, reason: string | null): EgressFailure | null {
  return reason === null
    ? null
    : { kind: "rejected", because: "address", url: redactUrl(url), reason };
}
