import { describe, expect, it } from "vitest";
import { createEgress } from "../../../src/platform/egress/egress.ts";
import { ALLOWED, REFUSED } from "./address-corpus.ts";
import { checkAddress } from "../../../src/platform/egress/ssrf-guard.ts";

const BOUNDS = { timeoutMs: 5_000, bytesMax: 1_000, sendsSecret: false };
/**
 * There is no resolver. An address that the guard wrongly passes on to name resolution therefore
 * fails with a different reason from the one that the corpus states.
 */
const egress = createEgress({ ALLOW_PRIVATE_EGRESS: "false", DNS_RESOLVER_URL: "" });

describe("the guard in the runtime", () => {
  it.each(REFUSED)("the egress check rejects an address that %s", async (reason, urls) => {
    for (const text of urls) {
      const checked = await egress.checkUrl(text, false);
      expect(checked.ok ? "let through" : checked.failure, JSON.stringify(text)).toMatch(reason);
    }
  });

  it.each(REFUSED)("no request is sent to an address that %s", async (reason, urls) => {
    for (const text of urls) {
      const request = requestTo(text);
      if (request === null) continue;
      const exchanged = await egress.send(request, BOUNDS);
      const failure = exchanged.ok ? { kind: "let through" } : exchanged.failure;
      const expected = { kind: "rejected", reason: expect.stringMatching(reason) };
      expect(failure, JSON.stringify(text)).toMatchObject(expected);
    }
  });

  it("public addresses are accepted when the runtime's own URL parses them", () => {
    expect(ALLOWED.map((text) => checkAddress(new URL(text)))).toEqual(ALLOWED.map(() => null));
  });

  it("the message for a rejected address contains no path, query or password", async () => {
    for (const text of [
      "http://10.0.0.1/hook/s3cret?key=s3cret",
      "https://s3cret:s3cret@example.com/s3cret",
      "file:///s3cret",
      "data:text/plain,s3cret",
    ]) {
      const checked = await egress.checkUrl(text, false);
      expect(checked.ok).toBe(false);
      expect(JSON.stringify(checked)).not.toContain("s3cret");
      const request = requestTo(text);
      if (request === null) continue;
      expect(JSON.stringify(await egress.send(request, BOUNDS))).not.toContain("s3cret");
    }
  });
});

/** Null for an invalid URL, which the runtime itself rejects before a request is sent. */
function requestTo(text: string): Request | null {
  return URL.canParse(text) ? new Request(text) : null;
}
