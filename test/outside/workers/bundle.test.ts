import { LLMock } from "@copilotkit/aimock";
import { afterAll, beforeAll, expect, it } from "vitest";
import { call, startBosun, until, type Bosun } from "./crew.ts";

const PATIENCE_MS = 60_000;

let bosun: Bosun;
const model = new LLMock({ port: 0, host: "127.0.0.1", logLevel: "silent" });

beforeAll(async () => {
  model.on(
    { endpoint: "chat" },
    { toolCalls: [{ name: "finish", arguments: '{"summary":"Read and understood."}' }] },
  );
  await model.start();
  bosun = await startBosun({ ALLOW_PRIVATE_EGRESS: "true" });
}, PATIENCE_MS);

afterAll(async () => {
  await bosun.stop();
  await model.stop();
});

it(
  "a model works in the Worker as it is bundled, with stand-ins for packages that the SDK takes whole",
  async () => {
    const executor = { type: "model", model: "m", baseUrl: `${model.url}/v1` };
    await call(bosun, "POST", "/agents", { id: "reader", executor });
    const task = { task: "Read", agentId: "reader", context: { text: "One." } };
    const { taskId } = await call(bosun, "POST", "/agents/tasks", task);
    const done = await until(
      () => call(bosun, "GET", `/agents/tasks/${taskId}`),
      ({ status }) => ["completed", "failed"].includes(status),
      PATIENCE_MS,
    );
    expect(done).toMatchObject({
      status: "completed",
      result: { summary: "Read and understood." },
    });
    expect(done.spend.tokens.input).toBeGreaterThan(0);
  },
  PATIENCE_MS,
);
