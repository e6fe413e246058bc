import { expect, it, vi } from "vitest";
import { get, patch, post } from "../../../support/client.ts";
import { hostile } from "./fixtures.ts";

const PATIENCE = { timeout: 15_000, interval: 50 };

/** Creates a task for a separate agent and waits until its first message has been sent. */
async function startTask(name: string) {
  const agent = hostile(name);
  const id = `abandoned-${crypto.randomUUID()}`;
  const executor = { type: "a2a", cardUrl: agent.card };
  expect((await post("/agents", { id, executor })).status).toBe(201);
  const created = await post("/agents/tasks", { task: "Count", agentId: id });
  const path = `/agents/tasks/${created.body.data.taskId}`;
  await vi.waitFor(async () => expect(await agent.methods()).toContain("SendMessage"), PATIENCE);
  return { id, agent, path };
}

it("a remote task that starts while its task is being cancelled is cancelled", async () => {
  const { agent, path } = await startTask("late");
  expect((await post(`${path}/cancel`)).status).toBe(200);
  await vi.waitFor(async () => expect(await agent.methods()).toContain("CancelTask"), PATIENCE);
  const sent = (await agent.seen()).filter(({ method }) => method === "CancelTask");
  expect(sent.map(({ params }) => params.id)).toEqual(["task-1"]);
  expect((await get(path)).body.data.status).toBe("cancelled");
});

it("a remote task is cancelled with its task even if the agent has been disabled", async () => {
  // The first turn ends immediately, and the next one follows half a minute later.
  const { id, agent, path } = await startTask("503-later");
  await vi.waitFor(
    async () => expect((await get(path)).body.data.currentPhase).toBe("working"),
    PATIENCE,
  );
  expect((await patch(`/agents/${id}`, { enabled: false })).status).toBe(200);
  expect((await post(`${path}/cancel`)).status).toBe(200);
  await vi.waitFor(async () => expect(await agent.methods()).toContain("CancelTask"), PATIENCE);
});
