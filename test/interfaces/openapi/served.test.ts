import { createExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import worker from "../../../src/index.ts";
import { get, send } from "../../support/client.ts";
import { expectError } from "../../support/expect-errors.ts";

const KEYLESS = { key: null };
const FILES = [
  ["/openapi.json", "application/json"],
  ["/docs", "text/html"],
  ["/docs/guides", "text/html"],
  ["/docs/guides/webhooks", "text/html"],
  ["/docs/guides-search.json", "application/json"],
  ["/docs/offline.js", "text/javascript"],
  ["/docs/start.js", "text/javascript"],
  ["/docs/page.css", "text/css"],
  ["/docs/icon.svg", "image/svg+xml"],
  ["/docs/swagger-ui-bundle.js", "text/javascript"],
  ["/docs/swagger-ui.css", "text/css"],
  ["/docs/swagger-ui.LICENSE.txt", "text/plain"],
] as const;

describe("the document and its page", () => {
  it.each(FILES)("%s is served as %s without a key, with its id and ETag", async (path, type) => {
    const answer = await get(path, { ...KEYLESS, headers: { "X-Request-Id": "mine" } });
    expect(answer.status).toBe(200);
    expect(answer.headers.get("Content-Type")).toContain(type);
    expect(answer.headers.get("X-Request-Id")).toBe("mine");
    expect(answer.headers.get("X-Content-Type-Options")).toBe("nosniff");
    expect(answer.text.length).toBeGreaterThan(100);
    const etag = answer.headers.get("ETag") ?? "";
    expect(etag).toMatch(/^(?:W\/)?"[^"]+"$/);
    const again = await get(path, { ...KEYLESS, headers: { "If-None-Match": etag } });
    expect([again.status, again.text]).toEqual([304, ""]);
    const head = await send("HEAD", path, undefined, KEYLESS);
    expect([head.status, head.text, head.headers.get("ETag")]).toEqual([200, "", etag]);
  });

  it("the page's policy allows only its own scripts, requests to its own origin, and no frame around it", async () => {
    const policy = (await get("/docs", KEYLESS)).headers.get("Content-Security-Policy") ?? "";
    expect(policy).toContain("default-src 'none'");
    expect(policy).toMatch(/script-src 'self'(?:;|$)/);
    expect(policy).toMatch(/connect-src 'self'(?:;|$)/);
    expect(policy).toContain("frame-ancestors 'none'");
  });

  it("the page does not link to other origins and has no inline script", async () => {
    const { text } = await get("/docs", KEYLESS);
    expect(text).not.toMatch(/(?:href|src)="(?!\/)/);
    expect(text).not.toMatch(/<script(?![^>]* src=)/);
  });

  it.each([
    "/docs/nothing.js",
    "/docs/..%2Fopenapi.yaml",
    "/docs/..%2fopenapi.json",
    "/docs/..%5copenapi.json",
    "/docs/%2e%2e%2f%2e%2e%2fetc",
    "/docs/__proto__",
    "/docs/guides/",
    "/docs/guides/nothing",
    "/docs/guides/webhooks.html",
    "/docs/guides/..%2Fpage",
    "/docs/guides/__proto__",
  ])("the path %s gets 404 in JSON", async (path) => {
    expectError(await get(path, KEYLESS), 404, "NOT_FOUND");
  });

  it("a path below the page's own files requires a key", async () => {
    expectError(await get("/docs/a/b", KEYLESS), 401, "AUTHENTICATION_FAILED");
    expectError(await get("/docs/a/b"), 404, "NOT_FOUND");
  });

  it("the settings for earlier versions of the page never contain a key", async () => {
    const bindings = { ...env, DOCS_API_KEY: "bsn_for_all_to_see" };
    const asked = new Request("http://localhost:8787/docs/settings.json");
    const answer = await worker.fetch(asked, bindings, createExecutionContext());
    expect(await answer.json()).toMatchObject({ data: { apiKey: null } });
    expect(answer.headers.get("Cache-Control")).toBe("no-store");
  });

  it("the document states the release and the server's URL", async () => {
    const { body } = await get("/openapi.json", KEYLESS);
    expect(body.openapi).toMatch(/^3\.1\./);
    expect(body.info).toMatchObject({
      title: "Bosun",
      version: expect.stringMatching(/^\d+\.\d+\.\d+$/),
    });
    expect(body.servers).toEqual([{ url: "/" }]);
  });
});
