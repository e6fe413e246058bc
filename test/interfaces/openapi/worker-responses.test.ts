import type { EventSourceMessage } from "eventsource-parser";
import { beforeAll, describe, expect, it } from "vitest";
import { taskEventSchema } from "../../../src/tasks/api/event-schemas.ts";
import { taskSnapshotSchema } from "../../../src/tasks/api/stream-schemas.ts";
import { get, post } from "../../support/client.ts";
import { parseEvents } from "../../support/parse-events.ts";
import { passTime, stopClock, untilStatus, wake } from "../../support/tasks.ts";
import {
  bytesOf,
  heldTask,
  OUTCOME,
  report,
  upload,
  waitingTask,
  workerAgent,
} from "../../tasks/workers/fixtures.ts";
import { expectSuccess } from "./expect-success.ts";

beforeAll(stopClock);

describe("documented responses to workers", () => {
  it("responses to claims with and without a waiting task match the OpenAPI document", async () => {
    const agentId = await workerAgent();
    const ask = { agentId, waitSeconds: 0 };
    expectSuccess(await post("/agents/tasks/claim", ask));
    await waitingTask(agentId, { budget: { maxCost: 1 }, context: { text: "a".repeat(70_000) } });
    const claimed = await post("/agents/tasks/claim", { ...ask, worker: "laptop" });
    expect(claimed.body.data.tasks).toHaveLength(1);
    expectSuccess(claimed);
  });

  it("responses to a worker's claims, reports and uploads match the OpenAPI document", async () => {
    const { agentId, id, lease } = await heldTask({ deliverables: ["csv"] });
    const say = async (token: string, body: Parameters<typeof report>[2]): Promise<void> =>
      expectSuccess(await report(id, token, body));
    const claimAgain = async (): Promise<string> => {
      await wake(id);
      const claimed = await post("/agents/tasks/claim", {
        agentId,
        worker: "desk",
        waitSeconds: 0,
      });
      expectSuccess(claimed);
      return claimed.body.data.tasks[0].lease.token;
    };
    await say(lease, { type: "heartbeat" });
    await say(lease, { type: "progress", progress: 10, phase: "reading", work: { page: 3 } });
    const headers = { "Bosun-Lease": lease, "Content-Type": "text/csv" };
    expectSuccess(await upload(id, "words.csv", bytesOf("words,8\n"), headers));
    expectSuccess(await upload(id, "words.csv", bytesOf("words,9\n"), headers));
    await say(lease, { type: "blocked", kind: "approval", question: "May I?" });
    await post(`/agents/tasks/${id}/respond`, { response: { yes: true } });
    const second = await claimAgain();
    await say(second, { type: "review", ...OUTCOME });
    await post(`/agents/tasks/${id}/review`, { decision: "request_changes", comment: "More." });
    const third = await claimAgain();
    const quality = { score: 90, accuracy: 80.5, completeness: 100, clarity: 70 };
    await say(third, { type: "completed", ...OUTCOME, quality });
    await say(third, { type: "heartbeat" });
    await post(`/agents/tasks/${id}/review`, { decision: "approve" });
    const task = await get(`/agents/tasks/${id}`);
    expectSuccess(task);
    expect(task.body.data.deliverables[0]).toHaveProperty("sha256");
    expectSuccess(await get(`/agents/tasks/${id}/events`));
    const files = await get(`/agents/tasks/${id}/deliverables`);
    expectSuccess(files);
  });

  it("tasks whose work fails, is released or loses its worker match the OpenAPI document", async () => {
    const details = { line: 4 };
    const failing = await heldTask();
    const error = { message: "No ink.", retryable: false, details };
    expectSuccess(await report(failing.id, failing.lease, { type: "failed", error }));
    expectSuccess(await get(`/agents/tasks/${failing.id}`));
    const released = await heldTask();
    const reason = "The laptop is shut down.";
    expectSuccess(await report(released.id, released.lease, { type: "released", reason }));
    expectSuccess(await get(`/agents/tasks/${released.id}`));
    expectSuccess(await get(`/agents/tasks/${released.id}/events`));
    const { id } = await heldTask();
    passTime(61_000);
    await wake(id);
    const lost = await get(`/agents/tasks/${id}`);
    expect(lost.body.data.attempts).toHaveLength(1);
    expectSuccess(lost);
    const log = await get(`/agents/tasks/${id}/events`);
    expect(log.body.data.events.at(-1).data).toHaveProperty("automatic");
    expectSuccess(log);
  });
});

describe("documented streams of events", () => {
  it("a stream consists of a snapshot and every event, and a stream requested after the last event gets 204", async () => {
    const agentId = await workerAgent({ requireReview: true });
    const id = await waitingTask(agentId);
    const { body } = await post("/agents/tasks/claim", { agentId, waitSeconds: 0 });
    await report(id, body.data.tasks[0].lease.token, { type: "completed", ...OUTCOME });
    await post(`/agents/tasks/${id}/review`, { decision: "approve" });
    await untilStatus(id, "completed");
    const headers = { Accept: "text/event-stream" };
    const { status, text } = await get(`/agents/tasks/${id}/events`, { headers });
    expect(status).toBe(200);
    const [snapshot, ...messages] = parseEvents(text);
    expect(snapshot?.event).toBe("snapshot");
    const task = taskSnapshotSchema.parse(dataOf(snapshot));
    const events = messages.map((message) => taskEventSchema.parse(dataOf(message)));
    expect(task.seq).toBe(events.length);
    expect(events.at(-1)?.type).toBe("completed");
    const rest = await get(`/agents/tasks/${id}/events`, {
      headers: { ...headers, "Last-Event-ID": String(task.seq) },
    });
    expect(rest.status).toBe(204);
  });
});

function dataOf(message: EventSourceMessage | undefined): unknown {
  return JSON.parse(message?.data ?? "null");
}
