import { beforeAll, describe, expect, it } from "vitest";
import type { JsonObject } from "../../src/kernel/json.ts";
import { TASK_STATUSES } from "../../src/tasks/model/task.ts";
import { ALLOWED } from "../support/allowed-actions.ts";
import { registerTeam } from "../support/catalogue.ts";
import { get, patch, post, send } from "../support/client.ts";
import { expectError } from "../support/expect-errors.ts";
import { create, passTime, read, setClock, stopClock, taskIn, wake } from "../support/tasks.ts";

const ACTIONS: readonly {
  readonly action: string;
  readonly method: string;
  readonly at: string;
  readonly body?: JsonObject;
  readonly code: string;
}[] = [
  { action: "cancel", method: "POST", at: "/cancel", code: "INVALID_STATE" },
  { action: "retry", method: "POST", at: "/retry", code: "INVALID_STATE" },
  {
    action: "update",
    method: "PATCH",
    at: "",
    body: { priority: "high" },
    code: "INVALID_STATE",
  },
  {
    action: "respond",
    method: "POST",
    at: "/respond",
    body: { response: "2025" },
    code: "INVALID_STATE",
  },
  {
    action: "review",
    method: "POST",
    at: "/review",
    body: { decision: "approve" },
    code: "INVALID_STATE",
  },
  {
    action: "feedback",
    method: "POST",
    at: "/feedback",
    body: { rating: 4 },
    code: "TASK_NOT_COMPLETED",
  },
  { action: "deliverables", method: "GET", at: "/deliverables", code: "TASK_NOT_COMPLETED" },
];

// No task in these tests stays in the status assigned, because its assignment and start are
// committed together.
const HELD = TASK_STATUSES.filter((status) => status !== "assigned");

describe.each(HELD)("a task that is %s", (status) => {
  const allowed: readonly string[] = ALLOWED[status];
  let id = "";

  beforeAll(async () => {
    stopClock();
    id = await taskIn(status);
  });

  it.each(ACTIONS.filter(({ action }) => !allowed.includes(action)))(
    "the action $action is rejected with $code, the status and the allowed actions",
    async ({ method, at, body, code }) => {
      const before = await read(id);
      const answer = await send(method, `/agents/tasks/${id}${at}`, body);
      expectError(answer, 409, code);
      const { context, message } = answer.body.error;
      expect(context.status).toBe(status);
      expect(new Set(context.allowed)).toEqual(new Set(allowed));
      expect(message).toContain(status);
      expect(await read(id)).toEqual(before);
    },
  );

  it.each(ACTIONS.filter(({ action }) => allowed.includes(action)))(
    "the allowed action $action succeeds",
    async ({ method, at, body }) => {
      const fresh = await taskIn(status);
      const { status: code, text } = await send(method, `/agents/tasks/${fresh}${at}`, body);
      expect([200, 201], text).toContain(code);
    },
  );
});

it("every allowed action is tested", () => {
  const names = new Set<string>(Object.values(ALLOWED).flat());
  expect(new Set(ACTIONS.map(({ action }) => action))).toEqual(names);
});

describe("retry", () => {
  it("a retry after the deadline gets 409 DEADLINE_PASSED until a PATCH sets a new deadline", async () => {
    const deadline = new Date(Date.now() + 60_000).toISOString();
    const id = await taskIn("failed", { deadline });
    passTime(60_000);
    const refused = await post(`/agents/tasks/${id}/retry`);
    expectError(refused, 409, "DEADLINE_PASSED");
    expect(refused.body.error.context).toEqual({ status: "failed", allowed: ["retry", "update"] });
    const later = new Date(Date.now() + 60_000).toISOString();
    expect((await patch(`/agents/tasks/${id}`, { deadline: later })).body.data.status).toBe(
      "failed",
    );
    expect((await post(`/agents/tasks/${id}/retry`)).body.data).toMatchObject({
      status: "pending",
      deadline: later,
    });
  });

  it("a retry with reassign gets 409 NO_OTHER_AGENT if no other agent can take the task", async () => {
    await registerTeam("solo", "researcher");
    const id = await taskIn("failed", { teamId: "solo" });
    const refused = await post(`/agents/tasks/${id}/retry`, { reassign: true });
    expectError(refused, 409, "NO_OTHER_AGENT");
    expect(refused.body.error.context).toEqual({ status: "failed", allowed: ["retry", "update"] });
    expect((await post(`/agents/tasks/${id}/retry`)).status).toBe(200);
  });
});

describe("a task without an agent", () => {
  it("a task without an agent fails with NO_AGENT_AVAILABLE at its deadline", async () => {
    await registerTeam("vacant");
    const deadline = new Date(Date.now() + 60_000).toISOString();
    const id = await create({ teamId: "vacant", deadline });
    setClock(deadline);
    expect(await read(id)).toMatchObject({
      status: "failed",
      error: { code: "NO_AGENT_AVAILABLE", message: expect.stringContaining(deadline) },
    });
    await wake(id);
    expect((await get("/agents/tasks?status=failed&teamId=vacant")).body.data.total).toBe(1);
  });
});

describe("an agent outside the team", () => {
  it("an agent outside the team is rejected with 400 and its id", async () => {
    const { status, body } = await post("/agents/tasks", {
      task: "x",
      agentId: "researcher",
      teamId: "studio",
    });
    expect(status).toBe(400);
    expect(body.error.details).toEqual([
      { path: "agentId", message: 'must be a member of team "studio", got "researcher"' },
    ]);
  });
});
