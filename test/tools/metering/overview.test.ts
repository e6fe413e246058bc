import { env } from "cloudflare:workers";
import { beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { USAGE_TOOLS_MAX } from "../../../src/tools/limits.ts";
import { ToolMeter } from "../../../src/tools/metering/tool-meter.object.ts";
import { toolMeterStub } from "../../../src/tools/metering/tool-meter.rpc.ts";
import type { ToolCallRecord } from "../../../src/tools/model/usage.ts";
import { foreignTool, registerTools } from "../../support/catalogue.ts";
import { get, post, send } from "../../support/client.ts";
import { divert } from "../../support/divert.ts";
import { expectError, expectProblems } from "../../support/expect-errors.ts";
import { keyWith } from "../../support/keys.ts";
import { muteWarnings } from "../../support/mute-warnings.ts";
import { shortenTimeouts } from "../../support/short-timeouts.ts";
import { setClock, stopClock } from "../../support/tasks.ts";

/** The meters' calls, by tool. The last one is retired. */
const CALLS: Readonly<Record<string, readonly (Partial<ToolCallRecord> & { day: string })[]>> = {
  "chart-maker": [
    { day: "2030-01-01", agentId: "researcher", cost: 0.1 },
    { day: "2030-01-05", agentId: "researcher", cost: 0.2 },
    { day: "2030-01-05", agentId: "data-analyst", cost: 0.3, teamId: "insights" },
  ],
  "json-workbench": [
    { day: "2030-01-05", agentId: "researcher", code: "TOOL_TIMEOUT" },
    { day: "2030-01-07", cost: 0.7 },
  ],
  gone: [{ day: "2030-01-06", agentId: "researcher", cost: 1 }],
};

beforeAll(async () => {
  stopClock();
  setClock("2030-01-07T12:00:00Z");
  await env.DB.exec(
    `INSERT INTO retired_tools (id, name, version, retired_at)
     VALUES ('gone', 'Gone', 1, ${Date.parse("2030-01-07")})`.replaceAll("\n", " "),
  );
  for (const [toolId, calls] of Object.entries(CALLS)) await record(toolId, calls);
});

async function record(
  toolId: string,
  calls: readonly (Partial<ToolCallRecord> & { day: string })[],
): Promise<void> {
  const meter = toolMeterStub(env.METERS, toolId);
  for (const { day, ...call } of calls) {
    const admitted = await meter.admit({
      rateLimit: { requests: 1_000, period: "hour" },
      pricing: { model: "usage", free: 1_000, overage: 0 },
      costMax: null,
      version: 1,
      agentId: null,
      isShared: false,
    });
    if (!admitted.admitted) throw new Error("The call was not admitted");
    const at = Date.parse(`${day}T23:59:59Z`);
    const defaults = { capability: "x", agentId: null, taskId: null, code: null, cost: 0 };
    const done = { ...defaults, at, durationMs: 10, teamId: null, ...call };
    await meter.settle(admitted.pass, done, "healthy");
  }
}

async function usage(query: string, key?: string) {
  const answer = await get(`/agents/usage${query}`, key === undefined ? {} : { key });
  expect(answer.status, answer.text).toBe(200);
  return answer.body.data;
}

describe("the usage of all tools", () => {
  it("usage is grouped by day for the last seven days unless the request says otherwise", async () => {
    expect(await usage("")).toEqual({
      from: "2030-01-01",
      to: "2030-01-07",
      groupBy: ["day"],
      total: { calls: 6, failed: 1, cost: 2.3, duration: "60ms" },
      usage: [
        { day: "2030-01-01", calls: 1, failed: 0, cost: 0.1, duration: "10ms" },
        { day: "2030-01-05", calls: 3, failed: 1, cost: 0.5, duration: "30ms" },
        { day: "2030-01-06", calls: 1, failed: 0, cost: 1, duration: "10ms" },
        { day: "2030-01-07", calls: 1, failed: 0, cost: 0.7, duration: "10ms" },
      ],
      missing: [],
      nextCursor: null,
    });
  });

  it("usage by tool equals each tool's own usage, including that of retired tools", async () => {
    const { usage: rows, total } = await usage("?groupBy=tool");
    expect(rows.map(({ toolId }: { toolId: string }) => toolId)).toEqual([
      "chart-maker",
      "gone",
      "json-workbench",
    ]);
    for (const { toolId, ...counts } of rows) {
      const own = await get(`/agents/tools/${toolId}/usage?days=7`);
      expect(counts).toEqual(own.body.data.total);
    }
    expect(total.calls).toBe(6);
  });

  it("tools that were retired before the period do not count towards the maximum number of tools", async () => {
    const at = Date.parse("2029-12-31");
    const rows = Array.from(
      { length: USAGE_TOOLS_MAX + 1 },
      (_, place) => `('old-${place}', 'Old', 1, ${at})`,
    );
    await env.DB.prepare(
      `INSERT INTO retired_tools (id, name, version, retired_at) VALUES ${rows.join(", ")}`,
    ).run();
    onTestFinished(async () => {
      await env.DB.exec("DELETE FROM retired_tools WHERE id LIKE 'old-%'");
    });
    const { total } = await usage("?groupBy=day&from=2030-01-01&to=2030-01-07");
    expect(total.calls).toBe(6);
    const later = await get("/agents/usage?groupBy=day&from=2029-12-31&to=2030-01-07");
    expectProblems(later, { groupBy: /^must include tool, because there are more than/ });
    // A retired tool is not read once the period is after its retirement.
    const { usage: days } = await usage("?toolId=gone&from=2030-01-06&to=2030-01-07");
    expect(days).toHaveLength(1);
  });

  it("usage by agent and day is sorted in this order, and calls without an agent have no agentId", async () => {
    const { usage: rows } = await usage("?groupBy=agent,day&from=2030-01-05&to=2030-01-07");
    const of = ({ agentId, day, calls }: { agentId?: string; day: string; calls: number }) => [
      agentId,
      day,
      calls,
    ];
    expect(rows.map(of)).toEqual([
      [undefined, "2030-01-07", 1],
      ["data-analyst", "2030-01-05", 1],
      ["researcher", "2030-01-05", 2],
      ["researcher", "2030-01-06", 1],
    ]);
  });

  it("filters select one agent or one tool, and an unknown one has no usage", async () => {
    expect((await usage("?agentId=researcher")).total).toMatchObject({ calls: 4, cost: 1.3 });
    expect((await usage("?toolId=gone")).total).toMatchObject({ calls: 1, cost: 1 });
    for (const query of ["?toolId=nothing", "?agentId=nobody", "?from=2029-12-01&to=2029-12-31"])
      expect(await usage(query)).toMatchObject({ total: { calls: 0 }, usage: [] });
  });

  it("a bound key sees only its own agent's calls to tools granted to the agent", async () => {
    await post("/agents/tools/access", { agentId: "researcher", toolId: "chart-maker" });
    const key = await keyWith(["tools:read"], { agentId: "researcher" });
    expect((await usage("?groupBy=tool,agent", key)).usage).toEqual([
      {
        agentId: "researcher",
        toolId: "chart-maker",
        calls: 2,
        failed: 0,
        cost: 0.3,
        duration: "20ms",
      },
    ]);
    expect((await usage("?agentId=data-analyst", key)).usage).toEqual([]);
    const other = await keyWith(["tasks:read"]);
    expectError(await get("/agents/usage", { key: other }), 403, "INSUFFICIENT_SCOPE");
  });

  it("invalid parameters are rejected with all problems", async () => {
    expectProblems(await get("/agents/usage?from=2030-02-30&to=today&groupBy=week&format=xml"), {
      from: "must be a date such as 2026-11-21",
      to: "must be a date",
      groupBy: "must be one or more of day, agent, tool",
      format: "must be one of json, csv",
    });
    for (const groupBy of ["day,day", "day,", ",day", "day, tool", "DAY"])
      expectProblems(await get(`/agents/usage?groupBy=${encodeURIComponent(groupBy)}`), {
        groupBy: /each at most once/,
      });
    expectProblems(await get("/agents/usage?from=2029-10-07"), { from: /at most 91 days before/ });
    expectProblems(await get("/agents/usage?from=2030-01-08"), { from: /must not be after today/ });
    expectProblems(await get("/agents/usage?cursor=abc"), { cursor: /must be a nextCursor/ });
    expectError(await send("POST", "/agents/usage", {}), 405, "METHOD_NOT_ALLOWED");
  });
});

describe("usage as CSV", () => {
  it.each<[string, Record<string, string>]>([
    ["&format=csv", {}],
    ["&format=csv", { Accept: "application/json" }],
    ["", { Accept: "text/csv" }],
    ["", { Accept: "text/csv, */*" }],
  ])("with the query %j and the headers %j, the rows are a CSV file", async (query, headers) => {
    const answer = await get(`/agents/usage?groupBy=day,agent&from=2030-01-05${query}`, {
      headers,
    });
    expect(answer.headers.get("Content-Type")).toBe("text/csv; charset=utf-8");
    expect(answer.headers.get("Vary")).toBe("Accept");
    expect(answer.headers.get("Content-Disposition")).toBe(
      'attachment; filename="usage-2030-01-05-2030-01-07.csv"',
    );
    expect(answer.text.split("\r\n")).toEqual([
      "day,agentId,calls,failed,cost,durationMs,modelCost,agentCost,inputTokens,outputTokens",
      "2030-01-05,data-analyst,1,0,0.3,10,0,0,0,0",
      "2030-01-05,researcher,2,1,0.2,20,0,0,0,0",
      "2030-01-06,researcher,1,0,1,10,0,0,0,0",
      "2030-01-07,,1,0,0.7,10,0,0,0,0",
      "",
    ]);
  });

  it.each<[string, Record<string, string>]>([
    ["?format=json", { Accept: "text/csv" }],
    ["", { Accept: "*/*" }],
    ["", { Accept: "application/json, text/csv" }],
    ["", { Accept: "image/png" }],
  ])("with the query %j and the headers %j, the response is JSON", async (query, headers) => {
    const answer = await get(`/agents/usage${query}`, { headers });
    expect(answer.body.data.total.calls).toBe(6);
    expect(answer.headers.get("Vary")).toBe("Accept");
  });
});

describe("a meter that does not respond", () => {
  /** Lets the first meter that is read fail in the given way. */
  function breakFirst(fail: () => Promise<never>): void {
    muteWarnings();
    let isBroken = false;
    divert(ToolMeter.prototype, "sumUsage", (real) => {
      if (isBroken) return real();
      isBroken = true;
      return fail();
    });
  }

  it("a tool whose meter fails is listed as missing, and the other tools are counted", async () => {
    breakFirst(() => Promise.reject(new Error("The meter failed")));
    const answer = await get("/agents/usage?groupBy=tool");
    const { missing, usage: rows } = answer.body.data;
    expect(missing).toHaveLength(1);
    expect(answer.body.metadata.warnings).toEqual([
      `the meters of these tools did not respond: ${missing[0]}`,
    ]);
    expect(rows.map(({ toolId }: { toolId: string }) => toolId)).not.toContain(missing[0]);
    expect((await usage("?groupBy=tool")).missing).toEqual([]);
  });

  it("a report does not wait for a meter that hangs", async () => {
    const hang = { hungAt: Infinity };
    const restore = shortenTimeouts(hang);
    breakFirst(async () => {
      hang.hungAt = performance.now();
      await scheduler.wait(60_000);
      throw new Error("The meter did not respond");
    });
    expect((await get("/agents/usage")).body.data.missing).toHaveLength(1);
    restore();
  });

  it("an incomplete report is not sent as CSV, because CSV has no place for a warning", async () => {
    breakFirst(() => Promise.reject(new Error("The meter failed")));
    const answer = await get("/agents/usage?format=csv");
    expectError(answer, 503, "SERVICE_UNAVAILABLE");
    expect(answer.body.error).toMatchObject({ retryable: true });
    expect(answer.body.error.message).toMatch(/^The report is incomplete: the meters of/);
  });
});

describe("more than 200 tools", () => {
  beforeAll(async () => {
    const ids = Array.from({ length: 210 }, (_, place) => `many-${String(place).padStart(3, "0")}`);
    // One statement cannot contain all of them.
    for (let place = 0; place < ids.length; place += 30)
      await registerTools(...ids.slice(place, place + 30).map((id) => foreignTool(id)));
    await record("many-000", [{ day: "2030-01-07", agentId: "ann" }]);
    await record("many-209", [{ day: "2030-01-07", agentId: "ann" }]);
  });

  it("usage by tool has pages that contain each tool once", async () => {
    const first = await usage("?groupBy=tool");
    const cursor = first.nextCursor;
    const second = await usage(`?groupBy=tool&cursor=${cursor}`);
    expect(second.nextCursor).toBeNull();
    const ids = [...first.usage, ...second.usage].map(({ toolId }) => toolId);
    expect(ids).toEqual(["chart-maker", "gone", "json-workbench", "many-000", "many-209"]);
    expect(second.usage).toHaveLength(1);
    expectProblems(await get(`/agents/usage?groupBy=tool,day&cursor=${cursor}`), {
      cursor: /must be a nextCursor from a request with the same parameters/,
    });
    const csv = await get("/agents/usage?groupBy=tool&format=csv");
    const link = /^<https:\/\/bosun\.test(.*)>; rel="next"$/.exec(csv.headers.get("Link") ?? "");
    const rest = await get(link?.[1] ?? "");
    expect(rest.text.split("\r\n")).toEqual([
      "toolId,calls,failed,cost,durationMs,modelCost,agentCost,inputTokens,outputTokens",
      "many-209,1,0,0,10,0,0,0,0",
      "",
    ]);
    expect(rest.headers.get("Link")).toBeNull();
  });

  it("a cursor keeps its period after midnight", async () => {
    const { nextCursor } = await usage("?groupBy=tool");
    setClock("2030-01-08T00:00:00Z");
    expect(await usage(`?groupBy=tool&cursor=${nextCursor}`)).toMatchObject({
      from: "2030-01-01",
      to: "2030-01-07",
    });
    setClock("2030-01-07T12:00:00Z");
  });

  it("usage that is not grouped by tool needs a filter, so that no sum is incomplete", async () => {
    expectProblems(await get("/agents/usage"), { groupBy: /must include tool, because there are/ });
    expect((await usage("?toolId=many-209")).total.calls).toBe(1);
  });
});
