import { env } from "cloudflare:workers";
import { beforeAll, describe, expect, it } from "vitest";
import { LIMITS_MAX } from "../../../src/governance/limits.ts";
import { LimitObject } from "../../../src/index.ts";
import type { JsonObject } from "../../../src/kernel/json.ts";
import { del, get, patch, post, send } from "../../support/client.ts";
import { divert } from "../../support/divert.ts";
import { expectError, expectProblems } from "../../support/expect-errors.ts";
import { setClock, stopClock } from "../../support/tasks.ts";
import { rowsOf } from "../audit/fixtures.ts";

beforeAll(() => {
  stopClock();
  setClock("2027-03-28T12:00:00Z");
});

const RULE = { name: "Daily", scope: { all: true }, measure: "usd", per: "day", limit: 5 };
const LIMIT = { id: "daily", ...RULE };

describe("spending limits", () => {
  it("a limit is created with defaults, read with its use, changed, replaced and deleted", async () => {
    const created = await post("/agents/limits", LIMIT);
    expect(created.status, created.text).toBe(201);
    const now = "2027-03-28T12:00:00.000Z";
    const limit = {
      ...LIMIT,
      timeZone: "UTC",
      warnAt: 0.8,
      onExceeded: "deny",
      enabled: true,
      scopeExists: true,
      used: 0,
      reserved: 0,
      resetAt: "2027-03-29T00:00:00.000Z",
      createdBy: "root",
      createdAt: now,
      updatedAt: now,
    };
    expect(created.body.data).toEqual(limit);
    expect((await get("/agents/limits/daily")).body.data).toEqual(limit);
    const listed = await get("/agents/limits?limit=5");
    expect(listed.body.data).toEqual({ limits: [limit], total: 1, limit: 5, offset: 0 });

    const changed = await patch("/agents/limits/daily", { per: "week", timeZone: "Europe/Berlin" });
    expect(changed.body.data).toEqual({
      ...limit,
      per: "week",
      timeZone: "Europe/Berlin",
      resetAt: "2027-03-28T22:00:00.000Z",
    });
    const put = await send("PUT", "/agents/limits/daily", {
      ...RULE,
      scope: { toolId: "text-analyst" },
    });
    expect([put.status, put.body.data.scope]).toEqual([200, { toolId: "text-analyst" }]);
    expect(put.body.data.timeZone).toBe("UTC");
    expect((await send("PUT", "/agents/limits/other", RULE)).status).toBe(201);
    for (const id of ["daily", "other"]) {
      expect((await del(`/agents/limits/${id}`)).body.data).toEqual({ id, deleted: true });
      expectError(await get(`/agents/limits/${id}`), 404, "LIMIT_NOT_FOUND");
      expectError(await patch(`/agents/limits/${id}`, {}), 404, "LIMIT_NOT_FOUND");
      expectError(await del(`/agents/limits/${id}`), 404, "LIMIT_NOT_FOUND");
    }
  });

  it("the audit log has a row for each change, with the fields that differ", async () => {
    const id = "audited";
    const { rows } = await rowsOf(async () => {
      await post("/agents/limits", { ...LIMIT, id });
      await post("/agents/limits", { ...LIMIT, id });
      await patch(`/agents/limits/${id}`, { limit: 9, scope: { toolId: "text-analyst" } });
      await patch(`/agents/limits/${id}`, { limit: 0 });
      await send("PUT", `/agents/limits/${id}`, { ...RULE, limit: 9 });
      await del(`/agents/limits/${id}`);
      await del(`/agents/limits/${id}`);
    });
    const options = { timeZone: "UTC", warnAt: 0.8, onExceeded: "deny", enabled: true };
    const [toAll, toTool] = [{ all: true }, { toolId: "text-analyst" }];
    expect(
      rows.map(({ action, subjectId, before, after }) => ({ action, subjectId, before, after })),
    ).toEqual([
      { action: "limit.created", subjectId: id, before: null, after: { ...RULE, ...options } },
      {
        action: "limit.changed",
        subjectId: id,
        before: { limit: 5, scope: toAll },
        after: { limit: 9, scope: toTool },
      },
      {
        action: "limit.changed",
        subjectId: id,
        before: { scope: toTool },
        after: { scope: toAll },
      },
      {
        action: "limit.deleted",
        subjectId: id,
        before: { ...RULE, ...options, limit: 9 },
        after: null,
      },
    ]);
  });

  it("a second limit with the same id is rejected", async () => {
    await post("/agents/limits", LIMIT);
    expectError(await post("/agents/limits", { ...LIMIT, limit: 9 }), 409, "LIMIT_EXISTS");
    expect((await get("/agents/limits/daily")).body.data.limit).toBe(5);
    await del("/agents/limits/daily");
  });

  it.each<[JsonObject, Record<string, string | RegExp>]>([
    [{ scope: { agentId: "nobody" } }, { "scope.agentId": 'existing agent, got "nobody"' }],
    [{ scope: { teamId: "nobody" } }, { "scope.teamId": 'existing team, got "nobody"' }],
    [{ scope: { keyId: "nobody" } }, { "scope.keyId": 'existing key, got "nobody"' }],
    [{ scope: { toolId: "nothing" } }, { "scope.toolId": 'existing tool, got "nothing"' }],
    [{ scope: {} }, { scope: "exactly one of agentId, teamId, keyId, toolId and all, got 0" }],
    [{ scope: { all: true, toolId: "text-analyst" } }, { scope: "exactly one" }],
    [{ scope: { all: false } }, { "scope.all": "must be one of true" }],
    [{ timeZone: "Europe/Bergen" }, { timeZone: "must be an IANA time zone" }],
    [{ timeZone: "+01:00" }, { timeZone: "must be an IANA time zone" }],
    [{ measure: "calls", per: "call" }, { per: "each call counts as one call" }],
    [{ measure: "tokens", scope: { toolId: "text-analyst" } }, { measure: "tools use no tokens" }],
    [{ measure: "tokens", scope: { keyId: "root" } }, { measure: "not called with a key" }],
    [{ measure: "calls", limit: 1.5 }, { limit: "must be a whole number of calls, got 1.5" }],
    [{ limit: 0 }, { limit: "must be at least 0.000001" }],
    [{ warnAt: 0 }, { warnAt: "must be at least 0.01" }],
    [{ warnAt: 1.1 }, { warnAt: "must be" }],
    [{ per: "year" }, { per: "must be one of" }],
    [{ onExceeded: "log" }, { onExceeded: "must be one of" }],
    [{ name: " " }, { name: "must" }],
  ])("%j is rejected with the field and the reason", async (change, problems) => {
    expectProblems(await post("/agents/limits", { ...LIMIT, ...change }), problems);
    expectProblems(await send("PUT", "/agents/limits/daily", { ...RULE, ...change }), problems);
  });

  it("a change is checked together with the fields that stay", async () => {
    const id = "calls-of-a-tool";
    const scope = { toolId: "text-analyst" };
    await post("/agents/limits", { ...LIMIT, id, scope, measure: "calls" });
    const change = (body: JsonObject) => patch(`/agents/limits/${id}`, body);
    expectProblems(await change({ per: "call" }), { per: "each call counts" });
    expectProblems(await change({ measure: "tokens" }), { measure: "tools use no tokens" });
    expectProblems(await change({ limit: 2.5 }), { limit: "whole number" });
    expectProblems(await change({ scope: { agentId: "nobody" } }), { "scope.agentId": "existing" });
    expect((await change({ measure: "usd", limit: 2.5 })).status).toBe(200);
    await del(`/agents/limits/${id}`);
  });

  it("a limit says when its agent no longer exists", async () => {
    await post("/agents", { id: "short-lived", executor: { type: "worker" } });
    const id = "of-short-lived";
    await post("/agents/limits", { ...LIMIT, id, scope: { agentId: "short-lived" } });
    await del("/agents/short-lived");
    expect((await get(`/agents/limits/${id}`)).body.data.scopeExists).toBe(false);
    // A change of another field does not check the scope again.
    expect((await patch(`/agents/limits/${id}`, { enabled: false })).status).toBe(200);
    await del(`/agents/limits/${id}`);
  });

  it("if the use cannot be read, the response is 503", async () => {
    await post("/agents/limits", LIMIT);
    divert(LimitObject.prototype, "readUses", () =>
      Promise.reject(new Error("The object is down")),
    );
    expectError(await get("/agents/limits"), 503, "SERVICE_UNAVAILABLE");
    expectError(await get("/agents/limits/daily"), 503, "SERVICE_UNAVAILABLE");
    await del("/agents/limits/daily");
  });

  it("there are at most LIMITS_MAX limits, and a list needs one object request", async () => {
    await env.DB.prepare(
      `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?)
       INSERT INTO limits SELECT 'limit-' || i, 'Many', 'all', '', 'tokens', 'day', 'UTC', 1e9, 0.8, 'deny', 1, 'root', 0, 0 FROM n`,
    )
      .bind(LIMITS_MAX)
      .run();
    expectError(await post("/agents/limits", LIMIT), 409, "TOO_MANY_LIMITS");
    expectError(await send("PUT", "/agents/limits/daily", RULE), 409, "TOO_MANY_LIMITS");
    expect((await send("PUT", "/agents/limits/limit-1", RULE)).status).toBe(200);
    const { data } = (await get("/agents/limits?limit=100&offset=100")).body;
    expect([data.limits.length, data.total]).toEqual([100, LIMITS_MAX]);
    await env.DB.prepare("DELETE FROM limits").run();
  });
});
