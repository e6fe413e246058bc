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

/** Of the orders, such as are harmed on their way. (Of the work, workers vanish from as much: see MANNER.) */
const FAULTS = 0.01;
/** More tasks are not left to wait at once: what is measured is the work, and not a backlog. */
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

/** Faults that were injected, each kind with its number. */
export type Injected = Map<"broken off" | "cut in the body" | "sent twice", number>;

/** What all customers share. */
export interface Shop {
  readonly board: Board;
  readonly news: News;
  readonly injected: Injected;
  readonly origin: string;
  /** Whether one more is wanted; counts it. */
  readonly takesMore: () => boolean;
}

/** Creates tasks while more are wanted, and cancels some. */
export async function order(client: Client, chance: Chance, shop: Shop): Promise<void> {
  const { board, news, takesMore } = shop;
  while (!board.isOver && takesMore()) {
    while (news.live.size > LIVE_MAX && !board.isOver) await pause(BACKLOG_PAUSE_MS);
    let taskId = await orderOne(client, chance, shop);
    // The deadline of an order can pass on its way; its customer makes another.
    while (taskId === null) taskId = await orderOne(client, chance, shop);
    board.add(taskId);
    if (chance.isHit(CANCELLED)) await cancel(client, taskId);
  }
}

/** One order under a key of its own; null when its deadline had passed before it arrived. */
async function orderOne(
  client: Client,
  chance: Chance,
  { injected, origin }: Shop,
): Promise<string | null> {
  const mark = client.newMark();
  const key = keyOf(mark);
  const body = orderOf(chance.weighed(KINDS), chance, mark);
  const ask = { kind: "create", method: "POST", path: "/agents/tasks", body, mark, key } as const;
  const twin = chance.isHit(FAULTS) ? harm(client, chance, ask, injected, origin) : null;
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

/** The same request beside the whole one: given up soon, cut in the middle of its body, or sent twice. */
async function harm(
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

/** Promises a body and hangs up half way through it. */
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
