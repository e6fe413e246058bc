import { env } from "cloudflare:workers";
import { beforeAll, beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";
import type { JsonObject } from "../../../src/kernel/json.ts";
import { del, get, patch, post } from "../../support/client.ts";
import { expectError } from "../../support/expect-errors.ts";
import { create, read, setClock, stopClock, wake } from "../../support/tasks.ts";
import { DONE, provideAi } from "../../support/workers-ai.ts";
import { workerAgent } from "../../tasks/workers/fixtures.ts";
import {
  approverKey,
  ask,
  decide,
  pendingCall,
  readApproval,
  untilApproval,
} from "../approvals/fixtures.ts";
import { rowsOf } from "../audit/fixtures.ts";
import { grant, invoke, pauseOf, resume } from "../pause/fixtures.ts";

beforeAll(async () => {
  stopClock();
  for (const level of ["warn", "error"] as const) vi.spyOn(console, level).mockReturnValue();
  await env.DB.prepare("UPDATE tools SET price_free = 0, price_overage = 0.25").run();
});

let day = 0;
beforeEach(() => {
  day += 1;
  setClock(new Date(Date.UTC(2027, 3, day, 12)).toISOString());
});

let limits = 0;

/** Creates a limit of a quarter of a dollar per day, which is one call, until the test ends. */
async function pausingLimit(body: JsonObject = {}): Promise<string> {
  limits += 1;
  const id = `pausing-${limits}`;
  const rule = { name: "Pauses", scope: { all: true }, measure: "usd", per: "day", limit: 0.25 };
  const answer = await post("/agents/limits", { id, onExceeded: "pause-agent", ...rule, ...body });
  expect(answer.status, answer.text).toBe(201);
  onTestFinished(async () => {
    await del(`/agents/limits/${id}`);
  });
  return id;
}

async function grantedAgent(): Promise<string> {
  const agentId = await workerAgent();
  await grant(agentId);
  return agentId;
}

describe("a limit that pauses agents", () => {
  it("the call that exceeds it gets its error, the next one finds the agent paused, and resuming works", async () => {
    const agentId = await grantedAgent();
    const other = await grantedAgent();
    const id = await pausingLimit();
    expect((await invoke({ agentId })).status).toBe(200);
    const { outcome: exceeding, rows } = await rowsOf(() => invoke({ agentId }));
    expectError(exceeding, 402, "SPENDING_LIMIT_EXCEEDED");
    const { message } = exceeding.body.error;
    expect(await pauseOf(agentId)).toEqual({
      at: new Date().toISOString(),
      cause: "spending-limit",
      reason: message,
    });
    expect(rows).toMatchObject([
      {
        action: "agent.paused",
        subjectId: agentId,
        keyId: "service",
        requestId: exceeding.headers.get("X-Request-Id"),
        after: { cause: "spending-limit", reason: message },
      },
    ]);
    expect(await pauseOf(other)).toBeNull();
    expectError(await invoke({ agentId }), 403, "AGENT_PAUSED");

    await resume(agentId);
    expectError(await invoke({ agentId }), 402, "SPENDING_LIMIT_EXCEEDED");
    expectError(await invoke({ agentId }), 403, "AGENT_PAUSED");
    await resume(agentId);
    await patch(`/agents/limits/${id}`, { limit: 1 });
    expect((await invoke({ agentId })).status).toBe(200);
  });

  it("calls that were in progress when the agent was paused write no further rows to the audit log", async () => {
    const agentId = await grantedAgent();
    await pausingLimit({ limit: 0.1 });
    const { outcome, rows } = await rowsOf(() =>
      Promise.all([1, 2, 3, 4].map(() => invoke({ agentId }))),
    );
    for (const { status } of outcome) expect([402, 403]).toContain(status);
    expect(rows.map(({ action }) => action)).toEqual(["agent.paused"]);
  });

  it("a limit that only denies, or a call without an agent, pauses nobody", async () => {
    const agentId = await grantedAgent();
    await pausingLimit({ limit: 0.1, onExceeded: "deny" });
    expectError(await invoke({ agentId }), 402, "SPENDING_LIMIT_EXCEEDED");
    await pausingLimit({ limit: 0.1 });
    expectError(await invoke(), 402, "SPENDING_LIMIT_EXCEEDED");
    expect(await pauseOf(agentId)).toBeNull();
  });

  it("the agent is paused even if the error names another limit, which resets later", async () => {
    const agentId = await grantedAgent();
    const pausing = await pausingLimit({ limit: 0.1 });
    const last = await pausingLimit({ limit: 0.1, per: "total", onExceeded: "deny" });
    const call = await invoke({ agentId });
    expect(call.body.error.context.limitId).toBe(last);
    expect((await pauseOf(agentId)).reason).toContain(`Limit "${pausing}"`);
  });

  it("if the agent cannot be paused, the call is rejected all the same, and the next one pauses it", async () => {
    const agentId = await grantedAgent();
    await pausingLimit({ limit: 0.1 });
    await env.DB.prepare(
      "CREATE TRIGGER no_pause BEFORE UPDATE OF pause ON agents BEGIN SELECT RAISE(ABORT, 'down'); END",
    ).run();
    expectError(await invoke({ agentId }), 402, "SPENDING_LIMIT_EXCEEDED");
    await env.DB.prepare("DROP TRIGGER no_pause").run();
    expect(await pauseOf(agentId)).toBeNull();
    expectError(await invoke({ agentId }), 402, "SPENDING_LIMIT_EXCEEDED");
    expect((await pauseOf(agentId)).cause).toBe("spending-limit");
  });

  it("a model's turn that exceeds it waits until the agent is resumed, without a question", async () => {
    const agentId = "pausing-thinker";
    const prices = { inputPerMillion: 1_000, outputPerMillion: 1_000 };
    const executor = { type: "model", provider: "workers-ai", model: "@cf/meta/test", prices };
    await post("/agents", { id: agentId, executor: { ...executor, maxOutputTokens: 1_000 } });
    let turns = 0;
    const stop = provideAi(async () => {
      turns += 1;
      return { ...DONE, usage: { prompt_tokens: 900, completion_tokens: 100 } };
    });
    onTestFinished(stop);
    const id = await pausingLimit({ scope: { agentId }, limit: 0.5 });
    const taskId = await create({ agentId });
    await vi.waitUntil(
      async () => {
        await wake(taskId);
        return ["pause", "question"].includes((await read(taskId)).waitingFor?.kind);
      },
      { timeout: 10_000 },
    );
    expect((await read(taskId)).waitingFor).toMatchObject({ kind: "pause", agentId });
    expect((await pauseOf(agentId)).reason).toContain(`Limit "${id}"`);
    expect(turns).toBe(0);
    await patch(`/agents/limits/${id}`, { limit: 100 });
    await resume(agentId);
    await vi.waitUntil(
      async () => {
        await wake(taskId);
        return (await read(taskId)).status === "completed";
      },
      { timeout: 10_000 },
    );
    expect(await read(taskId)).toMatchObject({ attempt: 1 });
    expect(turns).toBe(1);
  });
});

describe("an approved call", () => {
  it("a limit is checked when the approved call is made, and the call then fails with its error", async () => {
    const agentId = await grantedAgent();
    await ask();
    const id = await pausingLimit({ limit: 0.1 });
    const approvalId = await pendingCall({ agentId });
    expect(await pauseOf(agentId)).toBeNull();
    await decide(approvalId, "approve", await approverKey());
    await untilApproval(approvalId, "failed");
    const { error, result } = await readApproval(approvalId);
    expect(error).toMatchObject({
      code: "SPENDING_LIMIT_EXCEEDED",
      message: expect.stringContaining(`Limit "${id}"`),
    });
    expect(result).toBeUndefined();
    expect((await pauseOf(agentId)).cause).toBe("spending-limit");
    const { used, reserved } = (await get(`/agents/limits/${id}`)).body.data;
    expect({ used, reserved }).toEqual({ used: 0, reserved: 0 });
  });

  it("an approved call counts in its limits once, when it is made", async () => {
    const agentId = await grantedAgent();
    await ask();
    const id = await pausingLimit();
    const use = async () => (await get(`/agents/limits/${id}`)).body.data.used;
    const approvalId = await pendingCall({ agentId });
    expect(await use()).toBe(0);
    await decide(approvalId, "approve", await approverKey());
    await untilApproval(approvalId, "executed");
    expect(await use()).toBe(0.25);
  });
});
