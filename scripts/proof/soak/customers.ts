import { connect } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import { ROOT_KEY } from "../bosun.ts";
import type { Board } from "../board.ts";
import type { Chance } from "../chance.ts";
import type { Ask, Client } from "../client.ts";
import { keyOf } from "../history.ts";
import { orderOf, type OrderKind } from "../orders.ts";
import type { CreatedShape } from "../shapes.ts";
import type { News } from "./news.ts";

/** The share of orders with an injected fault. (Workers vanish from the same share of the work: see MANNER.) */
const FAULTS = 0.01;
/** The maximum number of waiting tasks, because the run measures work, not a backlog. */
const LIVE_MAX = 250;
const BACKLOG_PAUSE_MS = 50;
const CANCELLED = 0.06;
const BROKEN_OFF_MAX_MS = 8;

const KINDS: Readonly<Record<OrderKind, number>> = {
  crew: 22,
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

/** The shared state of all customers. */
export interface Shop {
  readonly board: Board;
  readonly news: News;
  readonly injected: Injected;
  readonly origin: string;
  /** Whether one more task is wanted; counts it. */
  readonly takesMore: () => boolean;
}

/** Creates tasks while more are wanted, and cancels some. */
export async function order(client: Client, chance: Chance, shop: Shop): Promise<void> {
  const { board, news, takesMore } = shop;
  while (!board.isOver && takesMore()) {
    while (news.live.size > LIVE_MAX && !board.isOver) await pause(BACKLOG_PAUSE_MS);
    let taskId = await orderOne(client, chance, shop);
    // The deadline of an order may pass before it arrives; its customer sends another.
    while (taskId === null) taskId = await orderOne(client, chance, shop);
    board.add(taskId);
    if (chance.isHit(CANCELLED)) await cancel(client, taskId);
  }
}

/** Sends one order with its own key; null if its deadline passed before it arrived. */
async function orderOne(
  client: Client,
  chance: Chance,
  { injected, origin }: Shop,
): Promise<string | null> {
  const mark = client.newMark();
  const key = keyOf(mark);
  const body = orderOf(chance.weighed(KINDS), chance, mark);
  const ask = { kind: "create", method: "POST", path: "/agents/tasks", body, mark, key } as const;
  const twin = chance.isHit(FAULTS) ? sendWithFault(client, chance, ask, injected, origin) : null;
  const { data, exchange } = await client.sendWithRetries<CreatedShape>(ask);
  await twin;
  if (data !== null) {
    client.history.ledTo(key, data.taskId);
    return data.taskId;
  }
  if (exchange.reason === "VALIDATION_ERROR" && "deadline" in body) return null;
  throw new Error(`A task was refused: ${exchange.status} ${exchange.reason}`);
}

export async function cancel(client: Client, taskId: string): Promise<void> {
  const path = `/agents/tasks/${taskId}/cancel`;
  await client.ask({ kind: "cancel", method: "POST", path, taskId, body: {} });
}

/** Sends the same request again with a fault: aborted early, cut in the middle of its body, or sent twice. */
async function sendWithFault(
  client: Client,
  chance: Chance,
  ask: Ask,
  injected: Injected,
  origin: string,
): Promise<void> {
  const kind = chance.pick(["broken off", "cut in the body", "sent twice"] as const);
  injected.set(kind, (injected.get(kind) ?? 0) + 1);
  if (kind === "cut in the body") return cutInTheBody(origin, ask);
  const patience =
    kind === "broken off" ? { patienceMs: chance.integer(1, BROKEN_OFF_MAX_MS) } : {};
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
