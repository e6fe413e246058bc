import { describe, expect, it } from "vitest";
import { app } from "../../src/app.ts";
import { get, send } from "../support/client.ts";
import { expectError } from "../support/expect-errors.ts";
import { ALLOW, filled, ROUTES } from "../support/routes.ts";

/** Common methods except CONNECT, which `fetch` rejects, and OPTIONS, which every path supports. */
const METHODS = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "TRACE", "PROPFIND"] as const;

/** The service's paths, each with the methods from this list that it does not support. */
const WRONG = [...ALLOW].flatMap(([path, allow]) =>
  METHODS.filter((method) => !allow.split(", ").includes(method)).map((method) => ({
    method,
    path,
    allow,
  })),
);

describe("routes", () => {
  it("the tests' table of routes has exactly the routes of the app", () => {
    const own = new Set(
      app.routes
        .filter(({ method, path }) => method !== "ALL" && method !== "OPTIONS" && path !== "/*")
        .map(({ method, path }) => `${method} ${path}`),
    );
    expect(ROUTES.map(({ method, path }) => `${method} ${path}`).toSorted()).toEqual(
      [...own].toSorted(),
    );
  });

  it.each([
    "/",
    "/agent",
    "/agents/nobody/nowhere",
    "/Agents/tools",
    "/agents/tools/json-workbench/validate",
    "/agents//tools",
    "/agents/tasks/a/b/c/d",
  ])("the unknown path %s gets 404 in JSON for GET, POST and DELETE", async (path) => {
    for (const method of ["GET", "POST", "DELETE"]) {
      const answer = await send(method, path);
      expectError(answer, 404, "NOT_FOUND");
      expect(answer.body.error.message).toContain(`"${path}"`);
    }
  });

  it.each([...ALLOW.keys()])("the path %s with a trailing slash gets 404", async (path) => {
    expectError(await get(`${filled(path)}/`), 404, "NOT_FOUND");
  });

  it("GET /agents/tools/access gets 405 and does not look up a tool of that name", async () => {
    const answer = await get("/agents/tools/access");
    expectError(answer, 405, "METHOD_NOT_ALLOWED");
    expect(answer.headers.get("Allow")).toBe("POST, OPTIONS");
  });
});

describe("methods", () => {
  it.each(WRONG)("$method $path gets 405 with Allow", async ({ method, path, allow }) => {
    const answer = await send(method, filled(path));
    expect(answer.status).toBe(405);
    expect(answer.headers.get("Allow")).toBe(allow);
    if (method === "HEAD") return;
    expectError(answer, 405, "METHOD_NOT_ALLOWED");
    expect(answer.body.error.message).toBe(
      `${method} is not allowed on this path. Allowed methods: ${allow}.`,
    );
  });

  it.each([...ALLOW])("OPTIONS %s gets 204 with Allow: %s", async (path, allow) => {
    const answer = await send("OPTIONS", filled(path));
    expect([answer.status, answer.text]).toEqual([204, ""]);
    expect(answer.headers.get("Allow")).toBe(allow);
  });

  it.each(ROUTES.filter(({ method }) => method === "GET"))(
    "HEAD $path has the status and Content-Type of GET, without a body",
    async ({ path }) => {
      const at = filled(path, { agentId: "researcher" });
      const [head, whole] = [await send("HEAD", at), await get(at)];
      expect([head.status, head.text]).toEqual([whole.status, ""]);
      expect(head.headers.get("Content-Type")).toBe(whole.headers.get("Content-Type"));
    },
  );
});
