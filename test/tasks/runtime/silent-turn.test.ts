import { beforeAll, expect, it, onTestFinished, vi } from "vitest";
import worker from "../../../src/index.ts";
import { silenceTable } from "../../support/silent-database.ts";
import { create, passTime, read, stopClock, wake } from "../../support/tasks.ts";
import { DONE, modelAgent, provideAi } from "../../support/workers-ai.ts";

beforeAll(stopClock);
vi.spyOn(console, "error").mockImplementation(() => {});

it("a turn does not wait forever for an agent registry that does not respond, and is repeated", async () => {
  const agentId = "patient";
  await modelAgent(agentId);
  onTestFinished(provideAi(() => Promise.resolve(DONE)));

  const { DB, isStruck } = silenceTable("agents");
  const whole = worker.queue;
  let [begun, ended] = [0, 0];
  worker.queue = async (batch, bindings) => {
    begun += 1;
    await whole(batch, begun === 1 ? Object.assign({}, bindings, { DB }) : bindings);
    ended += 1;
  };
  onTestFinished(() => {
    worker.queue = whole;
  });

  const id = await create({ agentId, context: { text: "Merchants paid for two wharves." } });
  await wake(id);
  await vi.waitUntil(() => ended === 1, { timeout: 8_000 });
  expect(isStruck()).toBe(true);
  expect((await read(id)).status).toBe("in_progress");
  await vi.waitUntil(
    async () => {
      passTime(1_000);
      await wake(id);
      return (await read(id)).status === "completed";
    },
    { timeout: 8_000 },
  );
  expect(begun).toBeGreaterThan(1);
});
