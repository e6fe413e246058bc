import { WORKER_AGENT } from "./agents.ts";
import { recordSimulation } from "./policies.ts";
import type { Recorder } from "./recorder.ts";

const DAY_MS = 24 * 60 * 60 * 1_000;
const CSV =
  "month,shop,sold\n2026-01,North,120\n2026-01,South,80\n2026-02,North,150\n2026-02,South,95";
const TEXT =
  "The bosun looks after the gear of a ship. He hands out the work of the day. A good bosun knows every rope, and every rope of a good ship is sound.";

interface Task {
  readonly taskId: string;
  readonly status: string;
}

/** Records a task that a built-in agent completes, from its creation to its completion. */
export async function recordCompletedTask(recorder: Recorder): Promise<void> {
  const { data: created } = await recorder.record<Task>("createTask", {
    body: {
      task: "Analyse the sales statistics",
      teamId: "insights",
      priority: "high",
      deadline: "2030-01-31T12:00:00Z",
      deliverables: ["summary"],
      context: { csv: CSV },
      budget: { maxToolCalls: 20 },
      title: "Sales of the shops",
      labels: { project: "harbour" },
      externalId: "order-17",
    },
  });
  const id = created.taskId;
  await untilStatus(recorder, id, "completed");
  await recorder.record("listDeliverables", { parameters: { id } });
  const { data: listed } = await recorder.record<{
    calls: { callId: string; toolId: string }[];
  }>("listTaskCalls", { parameters: { id, outcome: "ok", limit: 1 } });
  const [call] = listed.calls;
  if (call === undefined) throw new Error("The task must have made a call");
  await recorder.record("getTaskCall", { parameters: { id, callId: call.callId } });
  await recordSimulation(recorder, call.toolId);
  await recorder.record("downloadDeliverable", { parameters: { id, name: "summary.txt" } });
  const feedback = {
    parameters: { id },
    body: {
      rating: 4.5,
      feedback: "Clear and to the point.",
      issues: ["The chart I hoped for is missing."],
    },
  };
  await recorder.record("giveFeedback", feedback);
  await recorder.record("giveFeedback", feedback);
  await recorder.record("getTask", { parameters: { id, include: "context" } });
  await recorder.record("listTasks", {
    parameters: {
      status: "completed",
      agentId: "data-analyst",
      teamId: "insights",
      priority: "high",
      startDate: dayFromNow(-1),
      endDate: dayFromNow(1),
      externalId: "order-17",
      label: "project:harbour",
      search: "sales",
      sort: "title",
      limit: 2,
      offset: 0,
    },
  });
}

/** Records tasks with a question or a review. */
export async function recordReviewedTasks(recorder: Recorder): Promise<void> {
  const body = { task: "Summarise this text", deliverables: ["summary"] };
  const context = { requireReview: true, text: TEXT };
  const approved = await recorder.send<Task>("createTask", { body: { ...body, context } });
  const rejected = await recorder.send<Task>("createTask", {
    body: { ...body, context: { askFirst: "Who will read it?", ...context } },
  });
  await untilStatus(recorder, approved.taskId, "review");
  await recorder.record("reviewTask", {
    parameters: { id: approved.taskId },
    body: { decision: "approve", comment: "Good." },
  });

  const parameters = { id: rejected.taskId };
  await untilStatus(recorder, rejected.taskId, "blocked");
  await recorder.record("respondToTask", { parameters, body: { response: "The new crew." } });
  await untilStatus(recorder, rejected.taskId, "review");
  await recorder.record("updateTask", {
    parameters,
    body: {
      priority: "urgent",
      notes: "The captain is waiting.",
      context: { reader: "the new crew" },
    },
  });
  await recorder.send("reviewTask", {
    parameters,
    body: { decision: "reject", comment: "Too short for the new crew." },
  });
  await recorder.record("retryTask", { parameters, body: { reassign: true } });
  await recorder.record("cancelTask", { parameters, body: { reason: "The ship has sailed." } });
}

/** Records a page of one agent's events. The feed must already contain the events of several tasks. */
export async function recordFeed(recorder: Recorder): Promise<void> {
  await recorder.record("listEvents", {
    parameters: {
      from: "oldest",
      type: "started,completed,failed",
      agentId: "data-analyst",
      teamId: "insights",
      limit: 2,
    },
  });
}

/** Records a task that a worker claims and completes. */
export async function recordClaimedTask(recorder: Recorder): Promise<void> {
  await recorder.send("createTask", {
    body: {
      task: "Count the words",
      agentId: WORKER_AGENT,
      priority: "high",
      deliverables: ["csv"],
      context: { text: "The harbour of Bergen was rebuilt in 1702." },
    },
  });
  const { data } = await recorder.record<Claim>("claimTasks", {
    body: { agentId: WORKER_AGENT, worker: "laptop", leaseSeconds: 60, waitSeconds: 20 },
  });
  const { taskId: id, lease } = claimedTask(data);
  const file = {
    parameters: { id, name: "words.csv", type: "csv" },
    file: "words,8\n",
    headers: { "Bosun-Lease": lease.token, "Content-Type": "text/csv" },
  };
  await recorder.record("uploadDeliverable", file);
  await recorder.record("uploadDeliverable", file);
  await recorder.record("reportOnTask", {
    parameters: { id },
    body: { type: "completed", lease: lease.token, result: { summary: "There are 8 words." } },
  });
}

/** Records a task's events: streamed from its creation, and read after it has ended. */
export async function recordTaskEvents(recorder: Recorder): Promise<void> {
  const { taskId } = await recorder.send<Task>("createTask", {
    body: {
      task: "Count the words",
      agentId: WORKER_AGENT,
      context: { text: "Merchants paid for stone cellars." },
    },
  });
  await Promise.all([
    recorder.record("listTaskEvents", {
      parameters: { id: taskId },
      headers: { Accept: "text/event-stream" },
    }),
    countWords(recorder),
  ]);
  await recorder.record("listTaskEvents", { parameters: { id: taskId, after: 1, limit: 2 } });
  await recorder.record("listEvents", {
    parameters: { agentId: WORKER_AGENT, type: "completed" },
    headers: { Accept: "text/event-stream" },
    lastLine: "event: live",
  });
}

/** Claims the worker's next task and completes it. */
async function countWords(recorder: Recorder): Promise<void> {
  const body = { agentId: WORKER_AGENT, worker: "laptop", leaseSeconds: 60, waitSeconds: 20 };
  const { taskId, lease } = claimedTask(await recorder.send<Claim>("claimTasks", { body }));
  await recorder.send("reportOnTask", {
    parameters: { id: taskId },
    body: { type: "completed", lease: lease.token, result: { summary: "There are 5 words." } },
  });
}

interface Claim {
  readonly tasks: readonly (Task & { readonly lease: { readonly token: string } })[];
}

function claimedTask({ tasks: [task] }: Claim) {
  if (task === undefined) throw new Error("The worker did not receive a task");
  return task;
}

async function untilStatus(recorder: Recorder, id: string, status: string): Promise<void> {
  await recorder.until<Task>("getTask", { parameters: { id } }, (task) => task.status === status);
}

function dayFromNow(days: number): string {
  return new Date(Date.now() + days * DAY_MS).toISOString().slice(0, 10);
}
