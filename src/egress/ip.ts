import ipaddr from "ipaddr.js";

/** What the ranges are called to a person; every other range but `unicast` counts as reserved. */
const KINDS: Readonly<Record<string, string>> = {
  loopback: "a loopback address",
  private: "a private address",
  uniqueLocal: "a private address",
  deprecatedSiteLocal: "a private address",
  linkLocal: "a link-local address",
  carrierGradeNat: "an address inside a provider's network",
  multicast: "a multicast address",
  broadcast: "a broadcast address",
  unspecified: "an address of the machine itself",
  ipv4Mapped: "an IPv4 address wrapped in IPv6",
  rfc6145: "an IPv4 address wrapped in IPv6",
  rfc6052: "an IPv4 address wrapped in IPv6",
  "6to4": "an IPv4 address wrapped in IPv6",
  teredo: "an IPv4 address wrapped in IPv6",
};
const RESERVED = "a reserved address";
/** Where clouds hand out credentials. Azure's lies among public addresses; the rest is named for the reader. */
const METADATA: ReadonlySet<string> = new Set([
  "168.63.129.16",
  "169.254.169.254",
  "169.254.170.2",
  "100.100.100.200",
  "192.0.0.192",
  "fd00:ec2::254",
  "fd20:ce::254",
]);
/** All that IANA has given out for the public internet. */
const GLOBAL_UNICAST = ipaddr.IPv6.parseCIDR("2000::/3");

/** Whether this is an IPv4 address of four decimal parts or an IPv6 address without a zone. */
export function isIp(text: string): boolean {
  return ipaddr.IPv4.isValidFourPartDecimal(text) || (isIpv6(text) && !text.includes("%"));
}

/** Why requests may not go to an IP address ("a loopback address"), or null for a public one. */
export function ipProblem(ip: string): string | null {
  if (!isIp(ip)) return "no IP address";
  if (ip.includes(":")) return ipv6Problem(ipaddr.IPv6.parse(ip));
  const address = ipaddr.IPv4.parse(ip);
  if (METADATA.has(address.toString())) return "a cloud's metadata address";
  const range = address.range();
  return range === "unicast" ? null : (KINDS[range] ?? RESERVED);
}

function ipv6Problem(address: ipaddr.IPv6): string | null {
  if (METADATA.has(address.toRFC5952String())) return "a cloud's metadata address";
  const range = address.range();
  if (range !== "unicast") return KINDS[range] ?? RESERVED;
  return address.match(GLOBAL_UNICAST) ? null : RESERVED;
}

function isIpv6(text: string): boolean {
  return text.includes(":") && ipaddr.IPv6.isValid(text);
}
