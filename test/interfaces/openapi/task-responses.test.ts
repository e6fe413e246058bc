import { beforeAll, describe, expect, it, vi } from "vitest";
import { get, patch, post } from "../../support/client.ts";
import { keyWith, UNMANAGING } from "../../support/keys.ts";
import { stopClock, taskIn, untilStatus } from "../../support/tasks.ts";
import { expectSuccess } from "./expect-success.ts";

beforeAll(stopClock);

const DEADLINE = new Date(Date.now() + 30 * 86_400_000).toISOString();

/** Optional fields of a request to create a task. */
const FULL = {
  agentId: "researcher",
  priority: "urgent",
  deadline: DEADLINE,
  deliverables: ["summary"],
  budget: { maxToolCalls: 50, maxCost: 2, maxDurationSeconds: 86_400, costCentre: "R2" },
};

describe("documented responses about tasks", () => {
  it("responses to new tasks, with all fields and with only the required one, match the OpenAPI document", async () => {
    expectSuccess(await post("/agents/tasks", { task: "Look around" }));
    expectSuccess(await post("/agents/tasks", { task: "Look around", ...FULL }));
    const team = { task: "Look around", teamId: "insights" };
    expectSuccess(await post("/agents/tasks", team));
    const headers = { "Idempotency-Key": crypto.randomUUID() };
    await post("/agents/tasks", team, { headers });
    expectSuccess(await post("/agents/tasks", team, { headers }));
  });

  it.each([
    "pending",
    "in_progress",
    "blocked",
    "review",
    "completed",
    "failed",
    "cancelled",
  ] as const)(
    "a task in the status %s, its log and its files match the OpenAPI document",
    async (status) => {
      const id = await taskIn(status, FULL);
      await patch(`/agents/tasks/${id}`, { notes: "Ahoy.", context: { pages: 2 } });
      expectSuccess(await get(`/agents/tasks/${id}`));
      expectSuccess(await get(`/agents/tasks/${id}/events`));
      expectSuccess(await get(`/agents/tasks/${id}/events?limit=1`));
      const files = await get(`/agents/tasks/${id}/deliverables`);
      if (files.status === 200) {
        expectSuccess(files);
      } else {
        expect(files.body.error.code).toBe("TASK_NOT_COMPLETED");
      }
    },
  );

  it("a task with a large context, shown or not, matches the OpenAPI document", async () => {
    const context = { text: "a".repeat(70_000) };
    const created = await post("/agents/tasks", { task: "Look around", context });
    const { taskId } = created.body.data;
    await patch(`/agents/tasks/${taskId}`, { context: { more: "b".repeat(70_000) } });
    const small = await get(`/agents/tasks/${taskId}`);
    expect(small.body.data.contextBytes).toBeGreaterThan(140_000);
    expectSuccess(small);
    expectSuccess(await get(`/agents/tasks/${taskId}?include=context`));
    const log = await get(`/agents/tasks/${taskId}/events`);
    expect(log.body.data.events[0].data).toHaveProperty("contextBytes");
    expectSuccess(log);
  });

  it("responses to every change by people, and the log of the changes, match the OpenAPI document", async () => {
    const id = await taskIn("blocked", { ...FULL, context: { requireReview: true } });
    const path = `/agents/tasks/${id}`;
    const answer = { response: { why: "c".repeat(70_000) } };
    expectSuccess(await post(`${path}/respond`, answer));
    await untilStatus(id, "review");
    const change = { priority: "low", deadline: DEADLINE };
    expectSuccess(await patch(path, change));
    const again = { decision: "request_changes", comment: "Shorter." };
    expectSuccess(await post(`${path}/review`, again));
    await untilStatus(id, "review");
    expectSuccess(await post(`${path}/review`, { decision: "reject" }));
    const retry = { reassign: true, context: { reader: "the crew" } };
    expectSuccess(await post(`${path}/retry`, retry));
    await untilStatus(id, "blocked");
    await post(`${path}/respond`, { response: "Go on." });
    await untilStatus(id, "review");
    const approval = { decision: "approve", comment: "Good." };
    expectSuccess(await post(`${path}/review`, approval));
    const rating = { rating: 4.5, feedback: "Fine.", issues: ["Long."] };
    expectSuccess(await post(`${path}/feedback`, rating));
    expectSuccess(await post(`${path}/feedback`, { rating: 5 }));
    const log = await get(`${path}/events`);
    expectSuccess(log);
    const types = log.body.data.events.map(({ type }: { type: string }) => type);
    expect(new Set(types).size).toBeGreaterThanOrEqual(13);
  });

  it("a task cancelled with or without a reason matches the OpenAPI document", async () => {
    const id = await taskIn("in_progress");
    expectSuccess(await post(`/agents/tasks/${id}/cancel`, { reason: "The ship sailed." }));
    const other = await taskIn("pending");
    expectSuccess(await post(`/agents/tasks/${other}/cancel`));
  });

  it("lists of tasks with filters and cursors match the OpenAPI document", async () => {
    await taskIn("completed", FULL);
    const queries = [
      "",
      "?status=completed&limit=1",
      "?agentId=nobody",
      "?teamId=insights&offset=1",
    ];
    for (const query of queries) {
      expectSuccess(await get(`/agents/tasks${query}`));
    }
    const { nextCursor } = (await get("/agents/tasks?limit=1")).body.data;
    expectSuccess(await get(`/agents/tasks?limit=1&cursor=${nextCursor}`));
  });
});

describe("documented responses to a bound key", () => {
  it("the responses about tasks and events to a bound key match the OpenAPI document", async () => {
    const key = await keyWith(UNMANAGING, { agentId: "researcher" });
    const id = await taskIn("completed", FULL);
    expectSuccess(await get(`/agents/tasks/${id}`, { key }));
    const log = await get(`/agents/tasks/${id}/events`, { key });
    expectSuccess(log);
    expect(log.body.data.events[0].data).not.toHaveProperty("createdBy");
    expectSuccess(await get("/agents/events?limit=100", { key }));
  });
});

describe("documented responses of the feed", () => {
  it("pages of the feed from its oldest event, a cursor and its end match the OpenAPI document", async () => {
    const id = await taskIn("failed", FULL);
    await post(`/agents/tasks/${id}/retry`);
    // The feed receives the event with a short delay.
    const page = await vi.waitUntil(async () => {
      const answer = await get("/agents/events?limit=100");
      return answer.body.data.events.length > 5 ? answer : null;
    }, 10_000);
    expectSuccess(page);
    expectSuccess(await get("/agents/events?from=latest"));
    expectSuccess(await get("/agents/events?type=completed,failed&limit=2"));
    const { nextCursor } = page.body.data;
    expectSuccess(await get(`/agents/events?cursor=${nextCursor}`));
  });
});
