import { beforeAll, describe, expect, it } from "vitest";
import { get, post, send } from "../../support/client.ts";
import { expectError } from "../../support/expect-errors.ts";
import { create, stopClock } from "../../support/tasks.ts";

const BROWSER =
  "text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,*/*;q=0.8";
let id = "";

beforeAll(async () => {
  stopClock();
  id = await create();
});

/** Opens a page as a browser does, which has no key. */
const open = (path: string, headers: Record<string, string> = {}) =>
  get(path, { key: null, headers: { Accept: BROWSER, ...headers }, documented: false });

describe("a browser", () => {
  it("a browser that opens a task's trackingUrl is redirected to the task's page without a key", async () => {
    const created = await post("/agents/tasks", { task: "Follow me" });
    const { trackingUrl, taskId } = created.body.data;
    const answer = await open(new URL(trackingUrl).pathname);
    expect(answer.status).toBe(303);
    expect(answer.headers.get("Location")).toBe(`/console/tasks/${taskId}`);
    expect(answer.headers.get("Vary")).toBe("Accept");
    expect(answer.text).toBe("");
  });

  it("a browser that opens the service's address is redirected to the console", async () => {
    const answer = await open("/");
    expect([answer.status, answer.headers.get("Location")]).toEqual([303, "/console"]);
    expect(answer.headers.get("Vary")).toBe("Accept");
  });

  it("the redirect reveals nothing about the task, so an unknown id gets it too", async () => {
    expect((await open(`/agents/tasks/${"0".repeat(64)}`)).status).toBe(303);
  });

  it("the redirect ignores the query, so no link can lead to another page", async () => {
    const answer = await open(`/agents/tasks/${id}?include=context&next=//evil.test`);
    expect(answer.headers.get("Location")).toBe(`/console/tasks/${id}`);
  });

  it("a task path with an invalid id is also redirected, so the console says that the task does not exist", async () => {
    const answer = await open("/agents/tasks/nope");
    expect(answer.headers.get("Location")).toBe("/console/tasks/nope");
  });

  it.each([
    "a%0Ab",
    "a%0D%0ASet-Cookie:%20x",
    "%00",
    "%7F",
    "%E6%B8%AF",
    "a%2Fb",
    "%2F%2Fevil.test",
  ])("the id %s stays encoded in the redirect", async (encoded) => {
    const answer = await open(`/agents/tasks/${encoded}`);
    expect([answer.status, answer.headers.get("Location")]).toEqual([
      303,
      `/console/tasks/${encoded}`,
    ]);
    expect(answer.headers.get("Set-Cookie")).toBeNull();
  });

  it.each([
    ["/console/", "/console"],
    ["/console/tasks/", "/console/tasks"],
    ["/console/tasks//", "/console/tasks"],
    ["/console/tasks/nope/", "/console/tasks/nope"],
    ["/console/tasks/nope/x", "/console/page-not-found"],
    ["/console//evil.test", "/console/page-not-found"],
  ])("%s is not the path of a page, and is redirected to %s", async (path, page) => {
    const answer = await open(path);
    expect([answer.status, answer.headers.get("Location")]).toEqual([303, page]);
  });

  it.each([
    "/agents/tasks",
    `/agents/tasks/${"0".repeat(64)}/events`,
    `/agents/tasks/${"0".repeat(64)}/`,
    "//evil.test",
  ])("%s has no page in the console, so it still needs a key", async (path) => {
    expectError(await open(path), 401, "AUTHENTICATION_FAILED");
  });

  it.each(["POST", "PATCH", "DELETE"])("%s is not redirected", async (method) => {
    const answer = await send(method, `/agents/tasks/${id}`, undefined, {
      key: null,
      headers: { Accept: BROWSER },
    });
    expectError(answer, 401, "AUTHENTICATION_FAILED");
  });
});

describe("an API client", () => {
  it.each(["*/*", "application/json", "application/json, text/html", "text/html;q=0, */*", "x"])(
    "a client that accepts %j gets JSON",
    async (accept) => {
      const answer = await get(`/agents/tasks/${id}`, { headers: { Accept: accept } });
      expect(answer.body.data.taskId).toBe(id);
      expect(answer.headers.get("Vary")).toBe("Accept");
      const keyless = { key: null, headers: { Accept: accept } };
      expectError(await get(`/agents/tasks/${id}`, keyless), 401, "AUTHENTICATION_FAILED");
      expectError(await get("/", keyless), 401, "AUTHENTICATION_FAILED");
      expectError(await get("/", { headers: { Accept: accept } }), 404, "NOT_FOUND");
    },
  );

  it("a client without an Accept header gets JSON", async () => {
    expect((await get(`/agents/tasks/${id}`)).body.data.taskId).toBe(id);
  });

  it("a request with a key gets JSON even if it prefers HTML", async () => {
    const answer = await get(`/agents/tasks/${id}`, { headers: { Accept: BROWSER } });
    expect(answer.body.data.taskId).toBe(id);
  });
});
