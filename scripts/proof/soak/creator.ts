import { connect } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import { ROOT_KEY } from "../bosun.ts";
import type { KnownTasks } from "../known-tasks.ts";
import type { Rng } from "../rng.ts";
import type { Ask, Client } from "../client.ts";
import { keyOf } from "../history.ts";
import { taskRequestOf, type TaskRequestKind } from "../task-requests.ts";
import type { CreatedShape } from "../responses.ts";
import type { FeedState } from "./feed-state.ts";

/** The share of tasks with an injected fault. Workers abandon the same share of their tasks (see ENDS in soak.ts). */
const FAULTS = 0.01;
/** The maximum number of live tasks. The run measures work, not a backlog. */
const LIVE_MAX = 250;
const BACKLOG_PAUSE_MS = 50;
const CANCELLED = 0.06;
const BROKEN_OFF_MAX_MS = 8;

const KINDS: Readonly<Record<TaskRequestKind, number>> = {
  anyAgent: 22,
  asking: 6,
  frugal: 5,
  bench: 7,
  hands: 36,
  checked: 8,
  hurried: 4,
  dated: 8,
  brief: 4,
};

/** The number of injected faults by kind. */
export type Injected = Map<"broken off" | "cut in the body" | "sent twice", number>;

/** State that all creators share. */
export interface CreatorContext {
  readonly knownTasks: KnownTasks;
  readonly feedState: FeedState;
  readonly injected: Injected;
  readonly origin: string;
  /** Returns whether another task is wanted, and counts it if so. */
  readonly takesMore: () => boolean;
}

/** Creates tasks while more are wanted, and cancels some. */
export async function createTasks(
  client: Client,
  rng: Rng,
  context: CreatorContext,
): Promise<void> {
  const { knownTasks, feedState, takesMore } = context;
  while (!knownTasks.isOver && takesMore()) {
    while (feedState.live.size > LIVE_MAX && !knownTasks.isOver) await pause(BACKLOG_PAUSE_MS);
    let taskId = await createTask(client, rng, context);
    // If the deadline passed before the request arrived, send a different request.
    while (taskId === null) taskId = await createTask(client, rng, context);
    knownTasks.add(taskId);
    if (rng.isHit(CANCELLED)) await cancel(client, taskId);
  }
}

/** Creates one task with its own idempotency key; null if its deadline passed before the request arrived. */
async function createTask(
  client: Client,
  rng: Rng,
  { injected, origin }: CreatorContext,
): Promise<string | null> {
  const mark = client.newMark();
  const key = keyOf(mark);
  const body = taskRequestOf(rng.weighed(KINDS), rng, mark);
  const ask = { kind: "create", method: "POST", path: "/agents/tasks", body, mark, key } as const;
  const twin = rng.isHit(FAULTS) ? sendWithFault(client, rng, ask, injected, origin) : null;
  const { data, exchange } = await client.sendWithRetries<CreatedShape>(ask);
  await twin;
  if (data !== null) {
    client.history.ledTo(key, data.taskId);
    return data.taskId;
  }
  if (exchange.reason === "VALIDATION_ERROR" && "deadline" in body) return null;
  throw new Error(`A task was rejected: ${exchange.status} ${exchange.reason}`);
}

export async function cancel(client: Client, taskId: string): Promise<void> {
  const path = `/agents/tasks/${taskId}/cancel`;
  await client.ask({ kind: "cancel", method: "POST", path, taskId, body: {} });
}

/** Sends the same request again with a fault: aborted early, cut off in the middle of its body, or sent twice. */
async function sendWithFault(
  client: Client,
  rng: Rng,
  ask: Ask,
  injected: Injected,
  origin: string,
): Promise<void> {
  const kind = rng.pick(["broken off", "cut in the body", "sent twice"] as const);
  injected.set(kind, (injected.get(kind) ?? 0) + 1);
  if (kind === "cut in the body") return cutInTheBody(origin, ask);
  const patience = kind === "broken off" ? { patienceMs: rng.integer(1, BROKEN_OFF_MAX_MS) } : {};
  const { data } = await client.ask<CreatedShape>({ ...ask, ...patience });
  if (data !== null && ask.key !== undefined) client.history.ledTo(ask.key, data.taskId);
}

/** Sends half of the announced body and disconnects. */
async function cutInTheBody(origin: string, { path, body, key }: Ask): Promise<void> {
  const { hostname, port } = new URL(origin);
  const text = JSON.stringify(body);
  const head = [
    `POST ${path} HTTP/1.1`,
    `Host: ${hostname}:${port}`,
    `Authorization: Bearer ${ROOT_KEY}`,
    "Content-Type: application/json",
    `Content-Length: ${Buffer.byteLength(text)}`,
    `Idempotency-Key: ${key}`,
  ];
  const socket = connect(Number(port), hostname);
  await new Promise<void>((resolve) => {
    socket.once("close", () => resolve());
    socket.once("error", () => resolve());
    socket.write(`${head.join("\r\n")}\r\n\r\n${text.slice(0, text.length / 2)}`, () =>
      socket.destroy(),
    );
  });
}
