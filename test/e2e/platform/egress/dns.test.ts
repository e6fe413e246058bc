import { describe, expect, inject, it } from "vitest";
import { UnavailableError } from "../../../../src/kernel/failure.ts";
import { createEgress } from "../../../../src/platform/egress/egress.ts";

const RESOLVER = inject("outside").resolver ?? "";
const BOUNDS = { timeoutMs: 1_000, bytesMax: 1_000, sendsSecret: false };
const egress = createEgress({
  ALLOW_PRIVATE_EGRESS: "false",
  DNS_RESOLVER_URL: `${RESOLVER}/dns-query`,
});

/** Returns the error that a check throws if names cannot be resolved. */
async function outageOf(checking: Promise<unknown>): Promise<UnavailableError> {
  const thrown = await checking.then(
    (value) => value,
    (error: unknown) => error,
  );
  if (thrown instanceof UnavailableError) return thrown;
  throw new Error(`No outage: ${JSON.stringify(thrown)}`);
}

async function asked(name: string): Promise<number> {
  return Number(await (await fetch(`${RESOLVER}/asked?name=${name}`)).text());
}

describe("a name that resolves to a private address", () => {
  it.each([
    ["ip-127-0-0-1", "127.0.0.1, a loopback address"],
    ["ip-10-1-2-3", "10.1.2.3, a private address"],
    ["ip-169-254-169-254", "169.254.169.254, a cloud metadata address"],
    ["ip-100-64-0-1", "100.64.0.1, a carrier-grade NAT address"],
    ["ip-0-0-0-0", "0.0.0.0, an unspecified address"],
    ["ip6-0-0-0-0-0-0-0-1", "0:0:0:0:0:0:0:1, a loopback address"],
    ["ip6-fd00-ec2-0-0-0-0-0-254", "fd00:ec2:0:0:0:0:0:254, a cloud metadata address"],
    ["ip6-fe80-0-0-0-0-0-0-1", "fe80:0:0:0:0:0:0:1, a link-local address"],
    ["mapped", "::ffff:127.0.0.1, an IPv4 address embedded in IPv6"],
    ["mixed", "10.0.0.1, a private address"],
    ["mixed6", "::1, a loopback address"],
    ["alias-private", "192.168.1.5, a private address"],
    ["nonsense", "0x7f.1, not an IP address"],
  ])("a name that resolves to a private address is rejected: %s", async (label, leadsTo) => {
    const url = `https://${label}.example.com/s3cret?key=s3cret`;
    const reason = `points to ${leadsTo}, which is not allowed`;
    expect(await egress.checkUrl(url, false)).toEqual({ ok: false, failure: reason });
    const place = `https://${label}.example.com`;
    const failure = { kind: "rejected", because: "address", url: place, reason };
    const exchanged = await egress.send(new Request(url), BOUNDS);
    expect(exchanged).toEqual({ ok: false, failure });
    await expect(egress.createFetch(BOUNDS)(url)).rejects.toMatchObject({ failure });
  });
});

describe("a name that resolves only to public addresses", () => {
  it.each(["public", "alias-public", "ip-8-8-8-8", "ip6-2606-4700-0-0-0-0-0-1111"])(
    "a name that resolves only to public addresses is accepted: %s",
    async (label) => {
      const url = `https://${label}.example.com/path`;
      expect(await egress.checkUrl(url, false)).toEqual({ ok: true, value: new URL(url) });
    },
  );
});

describe("a name that does not resolve", () => {
  it.each(["nowhere", "empty"])(
    "a name that does not resolve is unreachable: %s",
    async (label) => {
      const name = `${label}.example.com`;
      const reason = `the name ${name} does not resolve`;
      expect(await egress.send(new Request(`https://${name}`), BOUNDS)).toEqual({
        ok: false,
        failure: { kind: "unreachable", reason, isUnsent: true },
      });
      const failure = `must name a host that can be resolved: ${reason}`;
      expect(await egress.checkUrl(`https://${name}`, false)).toEqual({ ok: false, failure });
    },
  );
});

describe("a resolver that fails", () => {
  it.each([
    ["servfail", "returned code 2"],
    ["broken", "'s response is not JSON"],
    ["html", "'s response is not JSON"],
    ["shape", "'s response is not valid DNS over HTTPS"],
    ["status", "returned status 500"],
    ["redirect", "returned status 302"],
    ["large", "'s response is too large"],
    ["reset", "is unreachable"],
    ["half", "did not respond within 3000 ms"],
  ])("checking a URL fails if the resolver fails: %s", async (label, problem) => {
    const name = `${label}.example.com`;
    const thrown = await outageOf(egress.checkUrl(`https://${name}/`, false));
    expect(thrown.what).toBe("The DNS resolver");
    const reason = thrown.message;
    expect(reason).toContain(`the name ${name} cannot be resolved at the moment: `);
    expect(reason.replace("the DNS resolver ", "the DNS resolver")).toContain(problem);
  });

  it.each(["", "not a url", "http://127.0.0.1:1/dns-query"])(
    "checking a URL fails if the resolver's address is %j",
    async (url) => {
      const broken = createEgress({ ALLOW_PRIVATE_EGRESS: "false", DNS_RESOLVER_URL: url });
      const thrown = await outageOf(broken.checkUrl("https://public.example.com/", false));
      expect(thrown.message).toContain("the DNS resolver is unreachable");
    },
  );

  it("time spent resolving a name counts towards the request's timeout", async () => {
    const request = new Request("https://hang.example.com/");
    const timeoutMs = 150;
    const exchanged = await egress.send(request, { ...BOUNDS, timeoutMs });
    expect(exchanged).toEqual({ ok: false, failure: { kind: "timeout", timeoutMs } });
  });
});

describe("a resolver response", () => {
  it("a resolver response is cached, so a name takes two queries in total", async () => {
    const name = "ttl-0.remembered.example.com";
    await egress.checkUrl(`https://${name}/one`, false);
    await egress.checkUrl(`https://${name}/two`, false);
    await egress.send(new Request(`https://ip-10-0-0-9.${name}/`), BOUNDS);
    expect(await asked(name)).toBe(2);
  });

  it("a resolver failure is not cached", async () => {
    const name = "status.forgotten.example.com";
    await outageOf(egress.checkUrl(`https://${name}/`, false));
    await outageOf(egress.checkUrl(`https://${name}/`, false));
    expect(await asked(name)).toBe(4);
  });

  it("a numeric address is not sent to the resolver", async () => {
    expect((await egress.checkUrl("https://8.8.8.8/", false)).ok).toBe(true);
    expect((await egress.checkUrl("https://[2606:4700::1111]/", false)).ok).toBe(true);
    expect(await asked("8.8.8.8")).toBe(0);
  });
});
