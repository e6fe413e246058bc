import { createExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import worker from "../../src/index.ts";
import { HOUR_MS } from "../../src/kernel/units.ts";
import { createSignInLink } from "../../src/sessions/sign-in-link.ts";
import { answerOf, type Answer } from "../support/client.ts";
import { expectError } from "../support/expect-errors.ts";
import { passTime, stopClock } from "../support/tasks.ts";

const LOCAL = "http://127.0.0.1:8787";
const DEVELOPMENT = { ...env, LOOPBACK_ONLY: "true" };

beforeAll(stopClock);
beforeEach(() => env.DB.exec("DELETE FROM sessions"));

async function open(
  url: string,
  { method = "GET", bindings = DEVELOPMENT, headers = {} }: Partial<OpenOptions> = {},
): Promise<Answer> {
  const request = new Request(url, { method, headers, redirect: "manual" });
  return answerOf(await worker.fetch(request, bindings, createExecutionContext()));
}

interface OpenOptions {
  readonly method: string;
  readonly bindings: Env;
  readonly headers: Record<string, string>;
}

const link = (origin = LOCAL) => origin + createSignInLink(env.SIGNING_KEY, Date.now());
const countSessions = () => env.DB.prepare("SELECT count(*) AS count FROM sessions").first("count");

describe("the sign-in link of a local service", () => {
  it("the link signs in with the root key and leads to the console", async () => {
    const answer = await open(link(), { headers: { "Sec-Fetch-Site": "none" } });
    expect([answer.status, answer.headers.get("Location")]).toEqual([303, "/console"]);
    expect(answer.headers.get("Cache-Control")).toBe("no-store");
    expect(answer.headers.get("Set-Cookie")).toMatch(
      /^bosun-8787=[\w-]{43}; Path=\/; Max-Age=604800; HttpOnly; SameSite=Strict$/,
    );
    const [cookie = ""] = (answer.headers.get("Set-Cookie") ?? "").split(";");
    const headers = { Cookie: cookie, "Sec-Fetch-Site": "same-origin" };
    const me = await open(`${LOCAL}/agents/sessions/current`, { headers });
    expect(me.body.data.key).toMatchObject({ id: "root" });
  });

  it("the link is valid for twelve hours", async () => {
    const url = link();
    passTime(12 * HOUR_MS - 1);
    expect((await open(url)).status).toBe(303);
    passTime(1);
    const expired = await open(url);
    expectError(expired, 401, "AUTHENTICATION_FAILED");
    expect(expired.body.error.message).toMatch(/has expired. Restart npm run dev/);
  });

  it.each<[string, (url: URL) => void]>([
    ["a later expiry", ({ searchParams }) => searchParams.set("expires", "9999999999999")],
    ["no expiry", ({ searchParams }) => searchParams.delete("expires")],
    ["no signature", ({ searchParams }) => searchParams.delete("signature")],
    ["another signature", ({ searchParams }) => searchParams.set("signature", "A".repeat(43))],
    ["two signatures", ({ searchParams }) => searchParams.append("signature", "x")],
    ["two expiries", ({ searchParams }) => searchParams.append("expires", "1")],
    [
      "a leading zero",
      ({ searchParams }) => searchParams.set("expires", `0${searchParams.get("expires")}`),
    ],
  ])("a link with %s is rejected, and no session starts", async (_, change) => {
    const url = new URL(link());
    change(url);
    const answer = await open(url.href);
    expectError(answer, 401, "AUTHENTICATION_FAILED");
    expect(answer.headers.get("Set-Cookie")).toBeNull();
    expect(await countSessions()).toBe(0);
  });

  it.each([
    ["invalid", (url: URL) => url.searchParams.delete("signature")],
    ["expired", () => passTime(13 * HOUR_MS)],
  ])("a browser that opens an %s link gets the sign-in page", async (problem, spoil) => {
    const url = new URL(link());
    spoil(url);
    const answer = await open(url.href, { headers: { Accept: "text/html,*/*;q=0.8" } });
    expect([answer.status, answer.headers.get("Location")]).toEqual([
      303,
      `/console/sign-in?link=${problem}`,
    ]);
    expect(answer.headers.get("Set-Cookie")).toBeNull();
    expect(await countSessions()).toBe(0);
  });

  it("a link that another service signed is rejected", async () => {
    const url = LOCAL + createSignInLink("another signing key", Date.now());
    expectError(await open(url), 401, "AUTHENTICATION_FAILED");
  });

  it("a deployed service has no such link", async () => {
    for (const bindings of [env, { ...DEVELOPMENT, ROOT_API_KEY: "" }])
      expectError(await open(link(), { bindings }), 404, "NOT_FOUND");
    expectError(await open(link("https://bosun.test"), { bindings: env }), 404, "NOT_FOUND");
    expect(await countSessions()).toBe(0);
  });

  it.each(["http://evil.test:8787", "https://evil.test"])(
    "a local service rejects the link under the host name of %s",
    async (origin) => {
      expectError(await open(link(origin)), 403, "HOST_NOT_ALLOWED");
      const headers = { Host: new URL(origin).host };
      expectError(await open(link(), { headers }), 403, "HOST_NOT_ALLOWED");
      expect(await countSessions()).toBe(0);
    },
  );

  it.each(["HEAD", "POST", "OPTIONS"])("%s does not sign in", async (method) => {
    const answer = await open(link(), { method });
    expect([answer.status, answer.headers.get("Allow")]).toEqual([405, "GET"]);
    expect(await countSessions()).toBe(0);
  });
});
