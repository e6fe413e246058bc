import { evictAllDurableObjects } from "cloudflare:test";
import { beforeAll, describe, expect, it } from "vitest";
import type { JsonObject } from "../../../src/kernel/json.ts";
import { get, patch, post, type Answer } from "../../support/client.ts";
import { create, read, stopClock, wake } from "../../support/tasks.ts";
import { eventsOf, rowOf } from "../../support/task-state.ts";

beforeAll(stopClock);

const CSV = "city,people\nBergen,291940\nOslo,717710\nTromso,78745\n";

/**
 * Takes a task through a question, a review, a failure, a retry and a rating. `between` runs after
 * each command.
 */
async function live(between: () => Promise<void>): Promise<string> {
  const id = await create({
    agentId: "data-analyst",
    context: { csv: CSV, askFirst: "Which year?", requireReview: true },
    deliverables: ["summary"],
  });
  await between();
  const move = async (answer: Promise<Answer>): Promise<void> => {
    const { status, text } = await answer;
    if (status >= 300) throw new Error(text);
    await between();
  };
  const until = async (status: string): Promise<void> => {
    for (let wakes = 0; wakes < 20 && (await read(id)).status !== status; wakes += 1) {
      await wake(id);
      await between();
    }
  };
  const say = (verb: string, body?: JsonObject) => move(post(`/agents/tasks/${id}/${verb}`, body));

  await until("blocked");
  await say("respond", { response: "2025" });
  await move(patch(`/agents/tasks/${id}`, { notes: "Soon, please.", context: { year: 2025 } }));
  await until("review");
  await say("review", { decision: "request_changes", comment: "Shorter." });
  await until("review");
  await say("review", { decision: "reject" });
  await say("retry");
  await until("blocked");
  await say("respond", { response: "2026" });
  await until("review");
  await say("review", { decision: "approve" });
  await say("feedback", { rating: 4 });
  return id;
}

describe("a task whose object is evicted after each step", () => {
  it("a task that is evicted after each step has the same events and result as a task that is never evicted", async () => {
    const undisturbed = await live(() => Promise.resolve());
    const evicted = await live(() => evictAllDurableObjects());
    const [one, other] = [await eventsOf(undisturbed), await eventsOf(evicted)];
    expect(other.map(({ type }) => type)).toEqual(one.map(({ type }) => type));
    expect(other.map(({ seq }) => seq)).toEqual(one.map(({ seq }) => seq));

    const task = await read(evicted);
    expect(task).toMatchObject({
      status: "completed",
      attempt: 2,
      notes: "Soon, please.",
      context: { year: 2025 },
      feedback: { rating: 4 },
      attempts: [{ attempt: 1, error: { code: "REVIEW_REJECTED" } }],
    });
    expect(task.result).toEqual((await read(undisturbed)).result);
    expect(await rowOf(evicted)).toMatchObject({ status: "completed", attempt: 2, rating: 4 });
    expect((await get(`/agents/tasks/${evicted}/deliverables`)).status).toBe(200);
  });
});
