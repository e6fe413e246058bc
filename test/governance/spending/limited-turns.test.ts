import { beforeAll, describe, expect, it, onTestFinished, vi } from "vitest";
import { LimitObject } from "../../../src/index.ts";
import type { JsonObject } from "../../../src/kernel/json.ts";
import { del, get, patch, post } from "../../support/client.ts";
import { divert } from "../../support/divert.ts";
import { create, read, stopClock, untilStatus, wake } from "../../support/tasks.ts";
import { DONE, provideAi } from "../../support/workers-ai.ts";

beforeAll(() => {
  stopClock();
  vi.spyOn(console, "warn").mockReturnValue();
});

let agents = 0;

/** Registers an agent whose model costs a dollar per thousand tokens. */
async function pricedAgent(): Promise<string> {
  agents += 1;
  const id = `priced-${agents}`;
  const prices = { inputPerMillion: 1_000, outputPerMillion: 1_000 };
  const executor = { type: "model", provider: "workers-ai", model: "@cf/meta/test", prices };
  const answer = await post("/agents", { id, executor: { ...executor, maxOutputTokens: 1_000 } });
  expect(answer.status, answer.text).toBe(201);
  return id;
}

async function limit(id: string, body: JsonObject): Promise<void> {
  const answer = await post("/agents/limits", { id, name: "Model", per: "day", ...body });
  expect(answer.status, answer.text).toBe(201);
  onTestFinished(async () => {
    await del(`/agents/limits/${id}`);
  });
}

const useOf = async (id: string) => {
  const { used, reserved } = (await get(`/agents/limits/${id}`)).body.data;
  return { used, reserved };
};

/** A model that finishes at once and reports its usage. */
function answerAtOnce(usage = { prompt_tokens: 900, completion_tokens: 100 }): object[] {
  const requests: object[] = [];
  onTestFinished(
    provideAi(async (_model, inputs) => {
      requests.push(inputs);
      return { ...DONE, usage };
    }),
  );
  return requests;
}

/** Waits until the task waits for people or has ended, which must lead to `status`. */
async function ended(taskId: string, status: string): Promise<void> {
  await vi.waitUntil(
    async () => {
      if (["blocked", "completed", "failed"].includes((await read(taskId)).status)) return true;
      await wake(taskId);
      return false;
    },
    { timeout: 10_000 },
  );
  expect((await read(taskId)).status).toBe(status);
}

describe("a model's turn", () => {
  it("the tokens and the cost of a turn count in the limits of its agent and its team", async () => {
    const agentId = await pricedAgent();
    answerAtOnce();
    await limit("model-tokens", { scope: { agentId }, measure: "tokens", limit: 100_000 });
    await limit("model-money", { scope: { all: true }, measure: "usd", limit: 100 });
    await limit("tool-money", { scope: { toolId: "text-analyst" }, measure: "usd", limit: 100 });
    const taskId = await create({ agentId });
    await ended(taskId, "completed");
    expect(await useOf("model-tokens")).toEqual({ used: 1_000, reserved: 0 });
    expect(await useOf("model-money")).toEqual({ used: 1, reserved: 0 });
    expect(await useOf("tool-money")).toEqual({ used: 0, reserved: 0 });
    expect((await read(taskId)).spend.cost).toBe(1);
  });

  it.each([
    [
      "tokens",
      1_500,
      'Limit "turn-tokens" of 1500 tokens per day does not allow this: 1000 tokens used',
    ],
    ["usd", 1.5, 'Limit "turn-usd" of $1.5 per day does not allow this: $1 used'],
  ])(
    "a turn that a limit on %s does not allow is not sent, and continues when people raise the limit",
    async (measure, max, reason) => {
      const agentId = await pricedAgent();
      const requests = answerAtOnce();
      const id = `turn-${measure}`;
      await limit(id, { scope: { agentId }, measure, limit: 100_000 });
      await ended(await create({ agentId }), "completed");
      await patch(`/agents/limits/${id}`, { limit: max });

      const taskId = await create({ agentId });
      await ended(taskId, "blocked");
      expect(requests).toHaveLength(1);
      const { blocked } = await read(taskId);
      expect(blocked).toMatchObject({ kind: "input", question: expect.stringContaining(reason) });
      expect(blocked.question).toMatch(
        / Raise the limit or wait until it resets, then answer this question\.$/,
      );

      await patch(`/agents/limits/${id}`, { limit: 100_000 });
      await post(`/agents/tasks/${taskId}/respond`, { response: "Continue." });
      await ended(taskId, "completed");
      expect(requests).toHaveLength(2);
    },
  );

  it("a turn that no limit covers sends no request to the object of limits", async () => {
    const agentId = await pricedAgent();
    answerAtOnce();
    let calls = 0;
    for (const method of ["reserve", "settle"] as const) {
      divert(LimitObject.prototype, method, (real) => {
        calls += 1;
        return real();
      });
    }
    await ended(await create({ agentId }), "completed");
    expect(calls).toBe(0);
  });

  it("a request to a model that fails without any output releases what it reserved", async () => {
    const agentId = await pricedAgent();
    const fail = provideAi(async () => Promise.reject(new Error("5007: No such model")));
    onTestFinished(fail);
    await limit("failed-turn", { scope: { agentId }, measure: "tokens", limit: 100_000 });
    const taskId = await create({ agentId });
    await vi.waitUntil(async () => {
      await wake(taskId);
      return (
        (await useOf("failed-turn")).reserved === 0 && (await read(taskId)).status !== "pending"
      );
    });
    await untilStatus(taskId, "failed").catch(() => null);
    expect(await useOf("failed-turn")).toEqual({ used: 0, reserved: 0 });
  });
});
