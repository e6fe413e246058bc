import type { KnownTasks } from "../known-tasks.ts";
import type { Rng } from "../rng.ts";
import type { Client, ClientResponse } from "../client.ts";
import { keyOf } from "../history.ts";
import { taskRequestOf, type TaskRequestKind } from "../task-requests.ts";
import { rest } from "../pace.ts";
import type { CreatedShape, ListShape } from "../responses.ts";

const PAUSE_MIN_MS = 20;
const PAUSE_MAX_MS = 160;
/** The share of create requests with an idempotency key. The others are sent only once. */
const KEYED = 0.85;
/** The share of requests with a key that are sent twice at the same time. */
const TWICE = 0.15;

const KINDS: Readonly<Record<TaskRequestKind, number>> = {
  anyAgent: 4,
  asking: 2,
  frugal: 1,
  bench: 3,
  hands: 5,
  checked: 3,
  hurried: 2,
  dated: 4,
  brief: 1,
};

/** Creates tasks of all kinds until the load is over, up to `tasksMax`. */
export async function createOn(
  client: Client,
  rng: Rng,
  knownTasks: KnownTasks,
  tasksMax: number,
): Promise<void> {
  while (!knownTasks.isOver) {
    if (knownTasks.ids.length < tasksMax) await createOne(client, rng, knownTasks);
    await rest(rng.integer(PAUSE_MIN_MS, PAUSE_MAX_MS), knownTasks.over.signal);
  }
}

async function createOne(client: Client, rng: Rng, knownTasks: KnownTasks): Promise<void> {
  const mark = client.newMark();
  const body = taskRequestOf(rng.weighed(KINDS), rng, mark);
  const ask = { kind: "create", method: "POST", path: "/agents/tasks", body, mark } as const;
  const isTwice = rng.isHit(TWICE);
  if (!rng.isHit(KEYED)) return note(client, knownTasks, await client.ask<CreatedShape>(ask), null);
  const key = keyOf(mark);
  const send = (): Promise<ClientResponse<CreatedShape>> =>
    client.sendWithRetries<CreatedShape>({ ...ask, key });
  const [made, ...again] = await Promise.all([send(), ...(isTwice ? [send()] : [])]);
  for (const response of [made, ...again]) note(client, knownTasks, response, key);
  if (!isTwice && made.data !== null) await lookFor(client, made.data.taskId);
}

/** Checks guarantee 7: once a task's creation is acknowledged, the next list contains the task. */
async function lookFor(client: Client, taskId: string): Promise<void> {
  const path = "/agents/tasks?limit=100";
  const { data } = await client.sendWithRetries<ListShape>({ kind: "list", method: "GET", path });
  if (data === null || data.tasks.some((row) => row.taskId === taskId)) return;
  client.history.unlisted.push(taskId);
}

function note(
  { history }: Client,
  knownTasks: KnownTasks,
  { data }: ClientResponse<CreatedShape>,
  key: string | null,
): void {
  if (data === null) return;
  knownTasks.add(data.taskId);
  if (key !== null) history.ledTo(key, data.taskId);
}
