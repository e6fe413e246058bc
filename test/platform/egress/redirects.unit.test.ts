import { describe, expect, it } from "vitest";
import { buildNextHop, type RequestHop } from "../../../src/platform/egress/redirects.ts";

const HOP: RequestHop = {
  url: new URL("https://api.example.com/v1/items?key=s3cret"),
  method: "GET",
  headers: new Headers({ Authorization: "Bearer s3cret", Accept: "text/plain" }),
  body: null,
};

describe("a redirect", () => {
  it("a redirect from https to http is rejected, even on the same host", () => {
    const reason =
      "is the target of a redirect from https://api.example.com, but redirects from https to http are not followed";
    expect(buildNextHop(HOP, 301, "http://api.example.com/v1/items?key=s3cret")).toEqual({
      ok: false,
      failure: { kind: "rejected", because: "redirect", url: "http://api.example.com", reason },
    });
  });

  it.each([
    ["up from http to https", "http://api.example.com", "https://api.example.com/"],
    ["to another port", "https://api.example.com", "https://api.example.com:8443/"],
    ["to a subdomain", "https://example.com", "https://api.example.com/"],
    ["to the parent domain", "https://api.example.com", "//example.com/"],
  ])("a redirect %s goes to another origin and gets no credentials", (_, from, to) => {
    const next = buildNextHop({ ...HOP, url: new URL(from) }, 302, to);
    if (!next.ok) throw new Error(JSON.stringify(next.failure));
    expect([...next.value.headers]).toEqual([["accept", "text/plain"]]);
  });

  it.each([
    ["/v2", "https://api.example.com/v2"],
    ["next", "https://api.example.com/v1/next"],
    ["?page=2", "https://api.example.com/v1/items?page=2"],
    ["//API.example.com:443/v2", "https://api.example.com/v2"],
  ])(
    "a relative redirect is resolved and keeps credentials on its origin: %s",
    (location, href) => {
      const next = buildNextHop(HOP, 302, location);
      if (!next.ok) throw new Error(JSON.stringify(next.failure));
      expect(next.value.url.href).toBe(href);
      expect(next.value.headers.get("Authorization")).toBe("Bearer s3cret");
    },
  );
});
