import { runDurableObjectAlarm } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { Webhook } from "standardwebhooks";
import type { TaskEventType } from "../../../../src/tasks/model/events.ts";
import type { FeedEvent } from "../../../../src/events/model/feed.ts";
import { randomBytes } from "node:crypto";
import type { JsonObject } from "../../../../src/kernel/json.ts";
import { feedStub } from "../../../../src/events/feed.rpc.ts";
import { get, post } from "../../../support/client.ts";
import { originOf } from "../../../support/server-tools.ts";
import { setClock } from "../../../support/tasks.ts";

const WAKES_MAX = 40;

/** A webhook message as received. */
export interface ReceivedRequest {
  readonly path: string;
  readonly headers: Record<string, string>;
  readonly body: string;
  readonly verified: readonly boolean[];
}

export interface ResponseMode {
  readonly status?: number;
  readonly headers?: Record<string, string>;
  readonly body?: string;
  readonly hangs?: boolean;
  readonly secrets?: readonly string[];
}

let receivers = 0;

/** A receiver on test/support/servers/webhook-receiver.ts that no other test uses. */
export class Receiver {
  readonly #name = `${crypto.randomUUID()}-${(receivers += 1)}`;
  readonly #origin = originOf("webhook-receiver");

  get url(): string {
    return `${this.#origin}/in/${this.#name}`;
  }

  async answers(manner: ResponseMode): Promise<void> {
    const body = JSON.stringify(manner);
    await fetch(`${this.#origin}/as/${this.#name}`, { method: "PUT", body });
  }

  /** Waits until at least this many messages have arrived, and returns them. */
  async seen(least = 0): Promise<ReceivedRequest[]> {
    const response = await fetch(`${this.#origin}/seen/${this.#name}?least=${least}`);
    return response.json();
  }

  /** Responds to all hanging requests. */
  async release(status = 200): Promise<void> {
    await fetch(`${this.#origin}/release/${this.#name}?status=${status}`, { method: "POST" });
  }
}

export interface Hook {
  readonly id: string;
  readonly secret: string;
}

/** Creates a webhook, by default for all events. */
export async function createWebhook(
  { url }: Pick<Receiver, "url">,
  body: JsonObject = {},
): Promise<Hook> {
  const answer = await post("/agents/webhooks", { url, ...body });
  if (answer.status !== 201) throw new Error(`The webhook was not created: ${answer.text}`);
  return answer.body.data;
}

/** Creates a webhook and a receiver that responds in this way. */
export async function createWebhookWithReceiver(
  manner: ResponseMode = {},
): Promise<Hook & { receiver: Receiver }> {
  const receiver = new Receiver();
  await receiver.answers(manner);
  return { receiver, ...(await createWebhook(receiver)) };
}

/** Creates a webhook whose receiver has received these events and responded to them. */
export async function receiveEvents(types: readonly TaskEventType[], manner: ResponseMode = {}) {
  const made = await createWebhookWithReceiver(manner);
  await publishEvents(newTaskId(), types);
  await settle(made.id);
  return made;
}

/**
 * Creates a webhook whose receiver has received the first event but does not respond. `alarm`
 * resolves after the receiver responds.
 */
export async function holdReceiver(types: readonly TaskEventType[]) {
  const made = await createWebhookWithReceiver({ hangs: true });
  await publishEvents(newTaskId(), types);
  const alarm = wakeHook(made.id);
  await made.receiver.seen(1);
  return { ...made, alarm };
}

export const objectOf = (id: string) => env.WEBHOOKS.get(env.WEBHOOKS.idFromName(id));

/** Runs a webhook's alarm. Returns false if there is none. */
export const wakeHook = (id: string): Promise<boolean> => runDurableObjectAlarm(objectOf(id));

// oxlint-disable-next-line typescript/no-explicit-any -- as in Answer: a test asserts the shape it reads
export async function shown(id: string): Promise<any> {
  const answer = await get(`/agents/webhooks/${id}`);
  if (answer.status !== 200) throw new Error(answer.text);
  return answer.body.data;
}

// oxlint-disable-next-line typescript/no-explicit-any -- as above
export async function deliveriesOf(id: string, query = ""): Promise<any[]> {
  const answer = await get(`/agents/webhooks/${id}/deliveries${query}`);
  if (answer.status !== 200) throw new Error(answer.text);
  return answer.body.data.deliveries;
}

/** Returns the event types of a webhook's deliveries, oldest first. */
export async function typesOf(id: string): Promise<string[]> {
  return (await deliveriesOf(id)).map(({ event }) => event.type).toReversed();
}

/** Generates a task id. The task's only events are those that `publishEvents` publishes. */
export function newTaskId(): string {
  return randomBytes(32).toString("hex");
}

/** Publishes events to the feed as a task would. */
export async function publishEvents(
  taskId: string,
  types: readonly TaskEventType[],
  whose: Partial<FeedEvent> = {},
): Promise<FeedEvent[]> {
  const at = new Date().toISOString();
  const events = types.map((type, index) => ({
    taskId,
    seq: index + 1,
    type,
    at,
    agentId: null,
    teamId: null,
    data: { index, text: "Blåbær, 麦, 🫐" },
    ...whose,
  }));
  await feedStub(env.FEED).publish(events, true);
  return events;
}

/** Verifies a delivery with `standardwebhooks` and the current clock, and returns its payload. */
// oxlint-disable-next-line typescript/no-explicit-any -- as above
export function verified(arrived: ReceivedRequest, secret: string): any {
  return new Webhook(secret).verify(arrived.body, arrived.headers);
}

/** Runs a webhook's alarm until nothing more is due. */
export async function settle(id: string): Promise<void> {
  for (let wakes = 0; wakes < WAKES_MAX; wakes += 1) {
    await wakeHook(id);
    const next = await nextAttemptAt(id);
    if (next === null || next > Date.now()) return;
  }
  throw new Error(
    `Webhook ${id} still has a delivery that is due: ${JSON.stringify(await deliveriesOf(id))}`,
  );
}

/**
 * Returns the time of the next delivery attempt, in milliseconds since 1970, or null if no delivery
 * is pending.
 */
export async function nextAttemptAt(id: string): Promise<number | null> {
  const pending = await deliveriesOf(id, "?status=pending&limit=100");
  const instants = pending.map(({ nextAttemptAt: at }) => Date.parse(at));
  return instants.length === 0 ? null : Math.min(...instants);
}

/** Moves the clock to the next attempt and runs it. Returns false if there is none. */
export async function advanceToNextAttempt(id: string): Promise<boolean> {
  const next = await nextAttemptAt(id);
  if (next === null) return false;
  if (next > Date.now()) setClock(new Date(next).toISOString());
  await settle(id);
  return true;
}
