import { setTimeout as pause } from "node:timers/promises";
import { applyEvent } from "../../src/tasks/model/fold.ts";
import type { DeliveryStatus } from "../../src/events/model/delivery.ts";
import type { TaskEvent } from "../../src/tasks/model/events.ts";
import type { Task } from "../../src/tasks/model/task.ts";
import type { Client } from "./client.ts";
import { restored } from "./restore.ts";
import type {
  DeliveriesShape,
  EventShape,
  FeedEventShape,
  FeedShape,
  ListShape,
  LogShape,
  RowShape,
  TaskShape,
  WebhooksShape,
} from "./responses.ts";

const AT_ONCE = 8;

/** A task's final log and the states that result from it. */
export interface Log {
  readonly taskId: string;
  readonly events: readonly EventShape[];
  readonly restored: readonly TaskEvent[];
  /** The task after each event. */
  readonly states: readonly Task[];
  /** The task as GET returned it after the log was read. */
  readonly shown: TaskShape;
}

/** Runs `act` for each item with limited concurrency; returns the results in order. */
export async function forAll<Item, Value>(
  items: readonly Item[],
  atOnce: number,
  act: (item: Item, place: number) => Promise<Value>,
): Promise<Value[]> {
  const results: Value[] = [];
  const rest = items.entries();
  const runNext = async (): Promise<void> => {
    for (const [place, item] of rest) results[place] = await act(item, place);
  };
  await Promise.all(Array.from({ length: atOnce }, runNext));
  return results;
}

/** Reads with retries, even though no more faults are injected. */
export async function readWithRetries<Data>(client: Client, path: string): Promise<Data> {
  for (let tries = 1; ; tries += 1) {
    const { data, exchange } = await client.ask<Data>({ kind: "final read", method: "GET", path });
    if (data !== null) return data;
    if (tries === 3) throw new Error(`GET ${path}: ${exchange.status} ${exchange.reason}`);
    await pause(500);
  }
}

export async function readLogs(client: Client, ids: readonly string[]): Promise<Log[]> {
  return forAll(ids, AT_ONCE, async (taskId) => {
    const events: EventShape[] = [];
    for (let after: number | null = 0; after !== null;) {
      const page: LogShape = await readWithRetries(
        client,
        `/agents/tasks/${taskId}/events?after=${after}`,
      );
      events.push(...page.events);
      after = page.nextAfter;
    }
    const shown = await readWithRetries<TaskShape>(
      client,
      `/agents/tasks/${taskId}?include=context`,
    );
    return logOf(taskId, events, shown);
  });
}

/** A task's log with the resulting states, and the task as shown by the service. */
export function logOf(taskId: string, events: readonly EventShape[], shown: TaskShape): Log {
  const log = events.map(restored);
  return { taskId, events, restored: log, states: statesOf(log), shown };
}

function statesOf(log: readonly TaskEvent[]): Task[] {
  const states: Task[] = [];
  for (const event of log) states.push(applyEvent(states.at(-1) ?? null, event));
  return states;
}

/** The entire directory, read by cursor, newest first. */
export async function readRows(client: Client): Promise<RowShape[]> {
  const rows: RowShape[] = [];
  for (let more = ""; ;) {
    const page = await readWithRetries<ListShape>(client, `/agents/tasks?limit=100${more}`);
    rows.push(...page.tasks);
    if (page.nextCursor === null) return rows;
    more = `&cursor=${encodeURIComponent(page.nextCursor)}`;
  }
}

/** The delivery status of each event, from the log of the only webhook, by `<task id>.<seq>`. */
export async function readDeliveries(client: Client): Promise<Map<string, DeliveryStatus>> {
  const { webhooks } = await readWithRetries<WebhooksShape>(client, "/agents/webhooks");
  const statuses = new Map<string, DeliveryStatus>();
  for (let more = ""; ;) {
    const path = `/agents/webhooks/${webhooks[0]?.id}/deliveries?limit=100${more}`;
    const page = await readWithRetries<DeliveriesShape>(client, path);
    for (const { event, status } of page.deliveries) {
      statuses.set(`${event.taskId}.${event.seq}`, status);
    }
    if (page.nextCursor === null) return statuses;
    more = `&cursor=${encodeURIComponent(page.nextCursor)}`;
  }
}

/** The entire feed, starting with the oldest event. */
export async function readFeed(client: Client): Promise<FeedEventShape[]> {
  const events: FeedEventShape[] = [];
  for (let from = "from=oldest"; ;) {
    const page = await readWithRetries<FeedShape>(client, `/agents/events?limit=100&${from}`);
    events.push(...page.events);
    if (!page.more) return events;
    from = `cursor=${encodeURIComponent(page.nextCursor)}`;
  }
}
