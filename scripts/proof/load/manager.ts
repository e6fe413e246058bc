import { PRIORITIES, type TaskStatus } from "../../../src/tasks/model/task.ts";
import type { KnownTasks } from "../known-tasks.ts";
import type { Rng } from "../rng.ts";
import type { Client } from "../client.ts";
import { keyOf } from "../history.ts";
import { rest } from "../pace.ts";
import { NOBODY } from "../task-requests.ts";
import type { TaskShape } from "../responses.ts";

const PAUSE_MIN_MS = 10;
const PAUSE_MAX_MS = 90;
/** The share of POST requests with an idempotency key. These are retried while their outcome is unknown. */
const KEYED = 0.6;
const DEADLINE_SECONDS_MAX = 8;

export type ClientAction = "patch" | "cancel" | "retry" | "respond" | "review" | "feedback";

/** The usual actions for each status. Sometimes a client sends a different one, which may be rejected. */
const FITTING: Readonly<Record<TaskStatus, Partial<Record<ClientAction, number>>>> = {
  pending: { patch: 5, cancel: 1 },
  assigned: { patch: 5, cancel: 1 },
  in_progress: { patch: 5, cancel: 1 },
  blocked: { respond: 8, patch: 1, cancel: 1 },
  review: { review: 8, patch: 1, cancel: 1 },
  completed: { feedback: 1 },
  failed: { retry: 5, patch: 1 },
  cancelled: { patch: 1, retry: 1 },
};
const ANY: Readonly<Record<ClientAction, number>> = {
  patch: 1,
  cancel: 1,
  retry: 1,
  respond: 1,
  review: 1,
  feedback: 1,
};
const UNUSUAL = 0.1;

/** Manages one task after another, as people do, until the load is over. */
export async function manageTasks(client: Client, rng: Rng, knownTasks: KnownTasks): Promise<void> {
  while (!knownTasks.isOver) {
    const taskId = knownTasks.draw(rng);
    const task = taskId === null ? null : await readTask(client, taskId);
    if (task !== null) {
      const fitting = rng.isHit(UNUSUAL) ? ANY : FITTING[task.status];
      await act(client, rng, task, rng.weighed({ ...NONE, ...fitting }));
    }
    await rest(rng.integer(PAUSE_MIN_MS, PAUSE_MAX_MS), knownTasks.over.signal);
  }
}

const NONE: Readonly<Record<ClientAction, number>> = {
  patch: 0,
  cancel: 0,
  retry: 0,
  respond: 0,
  review: 0,
  feedback: 0,
};

export async function readTask(client: Client, taskId: string): Promise<TaskShape | null> {
  const path = `/agents/tasks/${taskId}`;
  return (await client.ask<TaskShape>({ kind: "read", method: "GET", path, taskId })).data;
}

/** Sends one action with a mark in the request body. */
export async function act(
  client: Client,
  rng: Rng,
  task: TaskShape,
  action: ClientAction,
): Promise<void> {
  const mark = client.newMark();
  if (action === "patch") {
    await change(client, task, mark, changesOf(rng, mark));
    return;
  }
  // A retry may assign the task to the agent without workers, so first ensure that the task has a future deadline.
  if (action === "retry" && !isDue(task) && !(await setDeadline(client, rng, task))) return;
  const { taskId, blocked } = task;
  const path = `/agents/tasks/${taskId}`;
  const body = bodyOf(rng, action, mark, blocked?.kind === "budget");
  const ask = {
    kind: action,
    method: "POST",
    path: `${path}/${action}`,
    body,
    mark,
    taskId,
  } as const;
  if (rng.isHit(KEYED)) await client.sendWithRetries({ ...ask, key: keyOf(mark) });
  else await client.ask(ask);
}

/** Sets a deadline a few seconds from now. Returns whether the change was acknowledged. */
export async function setDeadline(client: Client, rng: Rng, task: TaskShape): Promise<boolean> {
  return change(client, task, client.newMark(), postponed(rng));
}

/**
 * Whether the task waits for the agent without workers and has no deadline. The service may assign a task to that agent
 * when the others are busy. Only a deadline or a cancellation ends such a task.
 */
export function waitsForever({ status, agentId, deadline }: TaskShape): boolean {
  return status === "assigned" && agentId === NOBODY && deadline === undefined;
}

/** Whether the task has a future deadline. */
function isDue({ deadline }: TaskShape): boolean {
  return deadline !== undefined && Date.parse(deadline) > Date.now();
}

/** Returns whether the change was acknowledged. A request without a response may not have been applied. */
async function change(
  client: Client,
  { taskId }: TaskShape,
  mark: string,
  changes: object,
): Promise<boolean> {
  const path = `/agents/tasks/${taskId}`;
  const body = { notes: mark, ...changes };
  const patch = { kind: "patch", method: "PATCH", path, body, mark, taskId } as const;
  const { exchange } = await client.ask(patch);
  return exchange.result === "acknowledged";
}

function postponed(rng: Rng): { readonly deadline: string } {
  const seconds = rng.integer(1, DEADLINE_SECONDS_MAX);
  return { deadline: new Date(Date.now() + seconds * 1_000).toISOString() };
}

function changesOf(rng: Rng, mark: string): object {
  const others = [{}, {}, { priority: rng.pick(PRIORITIES) }, { context: { hint: mark } }];
  return rng.pick([...others, postponed(rng)]);
}

function bodyOf(
  rng: Rng,
  action: Exclude<ClientAction, "patch">,
  mark: string,
  isAboutBudget: boolean,
): object {
  switch (action) {
    case "cancel":
      return { reason: mark };
    case "retry":
      return { reassign: rng.isHit(0.2), context: { again: mark } };
    case "respond":
      return { response: isAboutBudget ? { maxToolCalls: 50, mark } : mark };
    case "review": {
      const decision = rng.pick(["approve", "approve", "request_changes", "reject"]);
      return { decision, comment: mark };
    }
    case "feedback":
      return { rating: rng.integer(1, 5), feedback: mark };
  }
}
