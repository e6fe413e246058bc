import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { checkAddress, checkIpAddress } from "../../../src/platform/egress/ssrf-guard.ts";

type Range = readonly [network: string, bits: number];

/**
 * The ranges that the guard must block: IANA's special-purpose IPv4 addresses, multicast, and
 * Azure's metadata address.
 */
const SPECIAL_4: readonly Range[] = [
  ["0.0.0.0", 8],
  ["10.0.0.0", 8],
  ["100.64.0.0", 10],
  ["127.0.0.0", 8],
  ["169.254.0.0", 16],
  ["172.16.0.0", 12],
  ["192.0.0.0", 24],
  ["192.0.2.0", 24],
  ["192.31.196.0", 24],
  ["192.52.193.0", 24],
  ["192.88.99.0", 24],
  ["192.168.0.0", 16],
  ["192.175.48.0", 24],
  ["198.18.0.0", 15],
  ["198.51.100.0", 24],
  ["203.0.113.0", 24],
  ["224.0.0.0", 4],
  ["240.0.0.0", 4],
  ["168.63.129.16", 32],
];
/** The same for IPv6: the first groups of an address, and the mask for the last of these groups. */
const SPECIAL_6: readonly (readonly [groups: readonly number[], lastMask: number])[] = [
  [[0x0000], 0xff00],
  [[0x0064, 0xff9b], 0xffff],
  [[0x0100], 0xffff],
  [[0x2001, 0x0000], 0xfe00],
  [[0x2001, 0x0db8], 0xffff],
  [[0x2002], 0xffff],
  [[0x2620, 0x004f, 0x8000], 0xffff],
  [[0x3fff, 0x0000], 0xf000],
  [[0x4000], 0xe000],
  [[0x5f00], 0xffff],
  [[0xfc00], 0xfe00],
  [[0xfe80], 0xffc0],
  [[0xfec0], 0xffc0],
  [[0xff00], 0xff00],
];
const WHOLE = 2 ** 32;
const RUNS = { numRuns: 5_000 };

const special4 = fc
  .constantFrom(...SPECIAL_4)
  .chain(([network, bits]) =>
    fc.nat(2 ** (32 - bits) - 1).map((offset) => numberOf(network) + offset),
  );
const public4 = fc.nat(WHOLE - 1).filter((ip) => !SPECIAL_4.some((range) => isWithin(ip, range)));
const special6 = fc
  .tuple(fc.constantFrom(...SPECIAL_6), groupsOf(8))
  .map(([[prefix, mask], random]) =>
    random.map((group, index) => {
      const fixed = prefix[index];
      if (fixed === undefined) return group;
      return index < prefix.length - 1 ? fixed : fixed | (group & ~mask);
    }),
  );
const public6 = groupsOf(8)
  .map(([first = 0, ...rest]) => [0x2000 | (first & 0x1fff), ...rest])
  .filter((groups) => !SPECIAL_6.some((range) => startsWith(groups, range)));

describe("a public address in any spelling", () => {
  it("a public IPv4 address is accepted in any spelling", () => {
    fc.assert(
      fc.property(public4, spelling(), (ip, format) => {
        expect(problemOf(format(ip))).toBeNull();
        expect(checkIpAddress(dotted(ip))).toBeNull();
      }),
      RUNS,
    );
  });

  it("a public IPv6 address is accepted in any spelling", () => {
    fc.assert(
      fc.property(public6, spelling6(), (groups, format) => {
        expect(problemOf(`[${format(groups)}]`)).toBeNull();
        expect(checkIpAddress(format(groups))).toBeNull();
      }),
      RUNS,
    );
  });
});

describe("a special address in any spelling", () => {
  it("a special IPv4 address is rejected in any spelling", () => {
    fc.assert(
      fc.property(special4, spelling(), (ip, format) => {
        expect(problemOf(format(ip))).toMatch(/^points to .* which is not allowed$/);
        expect(checkIpAddress(dotted(ip))).not.toBeNull();
      }),
      RUNS,
    );
  });

  it("a special IPv6 address is rejected in any spelling", () => {
    fc.assert(
      fc.property(special6, spelling6(), (groups, format) => {
        expect(problemOf(`[${format(groups)}]`)).toMatch(/^points to .* which is not allowed$/);
        expect(checkIpAddress(format(groups))).not.toBeNull();
      }),
      RUNS,
    );
  });

  it("a special IPv4 address is rejected in every IPv6 form that embeds it", () => {
    const wraps: readonly ((high: number, low: number) => readonly number[])[] = [
      (high, low) => [0, 0, 0, 0, 0, 0xffff, high, low],
      (high, low) => [0, 0, 0, 0, 0, 0, high, low],
      (high, low) => [0, 0, 0, 0, 0xffff, 0, high, low],
      (high, low) => [0x64, 0xff9b, 0, 0, 0, 0, high, low],
      (high, low) => [0x64, 0xff9b, 1, high, low >> 8, (low & 0xff) << 8, 0, 0],
      (high, low) => [0x2002, high, low, 0, 0, 0, 0, 1],
      (high, low) => [0x2001, 0, 0x4136, 0xe378, 0x8000, 0x63bf, high ^ 0xffff, low ^ 0xffff],
    ];
    fc.assert(
      fc.property(special4, fc.constantFrom(...wraps), spelling6(), (ip, wrap, format) => {
        const groups = wrap(Math.floor(ip / 2 ** 16), ip % 2 ** 16);
        expect(problemOf(`[${format(groups)}]`)).toMatch(/^points to .* which is not allowed$/);
      }),
      RUNS,
    );
  });
});

describe("an address from a resolver", () => {
  it.each([
    "",
    "localhost",
    "0x7f.1",
    "010.0.0.1",
    "1.1.1",
    "1.1.1.1.",
    " 1.1.1.1",
    "1.1.1.1/32",
    "2606:4700::1111%eth0",
    "[2606:4700::1111]",
    "2606:4700::g",
    ":",
    "example.com.",
  ])("an address that is not well-formed is rejected: %j", (text) => {
    expect(checkIpAddress(text)).toBe("not an IP address");
  });
});

function problemOf(host: string): string | null {
  return checkAddress(new URL(`http://${host}/`));
}

/**
 * Spellings of an IPv4 address in a URL: one to four parts in various bases, some of them encoded.
 */
function spelling(): fc.Arbitrary<(ip: number) => string> {
  const bases = fc.array(fc.constantFrom(10, 16, 8), { minLength: 4, maxLength: 4 });
  const disguise = fc.constantFrom<(host: string) => string>(
    (host) => host,
    (host) => host.toUpperCase(),
    (host) => `${host}.`,
    (host) => host.replaceAll(".", "。"),
    (host) => host.replaceAll(".", "%2e"),
    (host) => host.replaceAll(/[0-9a-zA-Z]/g, fullWidth),
    (host) => host.replaceAll(/[0-9a-z]/g, (digit) => `%${digit.charCodeAt(0).toString(16)}`),
    (host) => `\t${host.slice(0, 1)}\n${host.slice(1)}`,
    (host) => `${host}:8080`,
  );
  return fc
    .tuple(fc.integer({ min: 1, max: 4 }), bases, disguise)
    .map(([count, chosen, hide]) => (ip) => {
      const parts = partsOf(ip, count).map((part, index) => inBase(part, chosen[index] ?? 10));
      return hide(parts.join("."));
    });
}

/**
 * Spellings of an IPv6 address: with or without leading zeros, in capitals, shortened, or with an
 * IPv4 suffix.
 */
function spelling6(): fc.Arbitrary<(groups: readonly number[]) => string> {
  return fc.constantFrom<(groups: readonly number[]) => string>(
    (groups) => groups.map((group) => group.toString(16)).join(":"),
    (groups) => groups.map((group) => group.toString(16).padStart(4, "0")).join(":"),
    (groups) => groups.map((group) => group.toString(16).toUpperCase()).join(":"),
    (groups) => compressed(groups),
    (groups) => {
      const [high = 0, low = 0] = groups.slice(6);
      const start = groups.slice(0, 6).map((group) => group.toString(16));
      return `${start.join(":")}:${dotted(high * 2 ** 16 + low)}`;
    },
  );
}

/** Replaces the first run of zeros with `::`, as the URL parser does. */
function compressed(groups: readonly number[]): string {
  const text = groups.map((group) => group.toString(16)).join(":");
  return text.replace(/(?:^|:)0(?::0)+(?::|$)/, "::");
}

/** Splits an IPv4 address into one to four parts. The last part contains all remaining bytes. */
function partsOf(ip: number, count: number): number[] {
  const leading = Array.from(
    { length: count - 1 },
    (_, index) => Math.floor(ip / 2 ** (24 - 8 * index)) % 256,
  );
  return [...leading, ip % 2 ** (8 * (5 - count))];
}

function inBase(part: number, base: number): string {
  if (base === 16) return `0x${part.toString(16)}`;
  return base === 8 ? `0${part.toString(8)}` : String(part);
}

function fullWidth(character: string): string {
  return String.fromCharCode(character.charCodeAt(0) + 0xfee0);
}

function dotted(ip: number): string {
  return partsOf(ip, 4).join(".");
}

function numberOf(ip: string): number {
  return ip.split(".").reduce((sum, part) => sum * 256 + Number(part), 0);
}

function isWithin(ip: number, [network, bits]: Range): boolean {
  const size = 2 ** (32 - bits);
  return Math.floor(ip / size) === Math.floor(numberOf(network) / size);
}

function groupsOf(length: number): fc.Arbitrary<number[]> {
  const group = fc.oneof(fc.constant(0), fc.nat(0xffff));
  return fc.array(group, { minLength: length, maxLength: length });
}

function startsWith(
  groups: readonly number[],
  [prefix, lastMask]: (typeof SPECIAL_6)[number],
): boolean {
  return prefix.every((fixed, index) => {
    const mask = index < prefix.length - 1 ? 0xffff : lastMask;
    return ((groups[index] ?? 0) & mask) === fixed;
  });
}
