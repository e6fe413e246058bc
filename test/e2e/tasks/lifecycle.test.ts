import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import type { TaskStatus } from "../../../src/tasks/model/task.ts";
import { get, post } from "../../support/client.ts";
import { create, read } from "../../support/tasks.ts";
import { eventsOf, typesOf } from "../../support/task-state.ts";
import { registerAgentPair, TEXT, workAs, type Kind, type AgentPair } from "./agent-pairs.ts";

const PATIENCE_MS = 15_000;

/**
 * Waits until the service brings a task to a status. Alarms, queues and agents run as in a
 * deployment.
 */
async function awaitStatus(taskId: string, status: TaskStatus): Promise<void> {
  await vi.waitFor(
    async () => {
      const task = await read(taskId);
      expect(task.status, JSON.stringify(task)).toBe(status);
    },
    { timeout: PATIENCE_MS, interval: 50 },
  );
}

describe.each<Kind>(["builtin", "model", "a2a", "worker"])("a task of a %s agent", (kind) => {
  let pair: AgentPair;
  const over = new AbortController();
  let working: Promise<void>[] = [];

  beforeAll(async () => {
    pair = await registerAgentPair(kind);
    if (kind !== "worker") return;
    working = [pair.first, pair.second].map((agentId) => workAs(agentId, over.signal));
  });
  afterAll(async () => {
    over.abort();
    await Promise.all(working);
  });

  it("a task is created, blocked, answered, reviewed, completed and rated", async () => {
    const { first: agentId, teamId } = pair;
    const context = { text: TEXT, askFirst: "For whom is it?" };
    const id = await create({ agentId, teamId, context, deliverables: ["report"] });

    await awaitStatus(id, "blocked");
    const { blocked } = await read(id);
    expect(blocked).toMatchObject({ kind: "input", question: "For whom is it?" });
    const answered = await post(`/agents/tasks/${id}/respond`, { response: "For children." });
    expect(answered.status).toBe(200);

    await awaitStatus(id, "review");
    expect(await read(id)).toMatchObject({ agentId, result: { summary: expect.any(String) } });
    const files = (await get(`/agents/tasks/${id}/deliverables`)).body.data.deliverables;
    expect(files.length).toBeGreaterThan(0);
    for (const { downloadUrl, size } of files) {
      const file = await get(downloadUrl.replace(/^https:\/\/[^/]+/, ""), { key: null });
      expect(file.status).toBe(200);
      expect(new TextEncoder().encode(file.text)).toHaveLength(size);
    }

    const approved = await post(`/agents/tasks/${id}/review`, { decision: "approve" });
    expect(approved.body.data).toMatchObject({ status: "completed", progress: 100 });
    expect((await post(`/agents/tasks/${id}/feedback`, { rating: 5 })).status).toBe(201);

    const types = (await typesOf(id)).filter((type) => type !== "progressed" && type !== "resumed");
    const story = "created assigned started blocked responded submitted approved completed rated";
    expect(types).toEqual(story.split(" "));
    const progress = (await eventsOf(id)).flatMap(({ type, data }) =>
      type === "progressed" ? [data.progress] : [],
    );
    expect(progress.length).toBeGreaterThan(0);
    expect(progress).toEqual(progress.toSorted((a, b) => a - b));
  });

  it("a failed task is completed by another agent when it is retried", async () => {
    const { first, second, teamId } = pair;
    const id = await create({ agentId: first, teamId, context: { text: TEXT, fail: true } });
    if (kind === "builtin") {
      await awaitStatus(id, "review");
      await post(`/agents/tasks/${id}/review`, { decision: "reject", comment: "Too short." });
    }

    await awaitStatus(id, "failed");
    const { error } = await read(id);
    expect(error).toMatchObject({
      code: kind === "builtin" ? "REVIEW_REJECTED" : "AGENT_ERROR",
      message: expect.any(String),
      attempt: 1,
    });
    const retried = await post(`/agents/tasks/${id}/retry`, { reassign: true });
    expect(retried.body.data).toMatchObject({ status: "pending", attempt: 2, agentId: second });

    await awaitStatus(id, "review");
    await post(`/agents/tasks/${id}/review`, { decision: "approve" });
    const done = await read(id);
    expect(done).toMatchObject({ status: "completed", agentId: second, attempt: 2 });
    expect(done.attempts).toMatchObject([{ attempt: 1, agentId: first, error }]);
  });
});
