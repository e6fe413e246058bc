import { describe, expect, it } from "vitest";
import { checkAddress } from "../../../src/platform/egress/ssrf-guard.ts";
import { ALLOWED, REFUSED } from "./address-corpus.ts";

describe("an address that is checked by its text alone", () => {
  it.each(REFUSED.filter(([reason]) => !reason.source.includes("absolute URL")))(
    "the address is rejected because it %s",
    (reason, urls) => {
      for (const text of urls) {
        const url = URL.parse(text);
        expect(url, `${JSON.stringify(text)} is a URL`).not.toBeNull();
        const problem = url === null ? null : checkAddress(url);
        expect(problem ?? "let through", JSON.stringify(text)).toMatch(reason);
      }
    },
  );

  it.each(REFUSED.filter(([reason]) => reason.source.includes("absolute URL")))(
    "text with the error %s does not parse as a URL",
    (_, urls) => {
      for (const text of urls) expect(URL.parse(text), JSON.stringify(text)).toBeNull();
    },
  );

  it.each(ALLOWED)("the public address %s is accepted", (text) => {
    expect(checkAddress(new URL(text))).toBeNull();
  });
});
