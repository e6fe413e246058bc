import { toFeedEvent } from "../../src/tasks/model/event-data.ts";
import { webhookFilterOf, type StoredWebhook } from "../../src/events/model/webhook.ts";
import { withTimeout } from "../../src/platform/promises.ts";
import { matchesFilter, type FeedEvent, type FeedFilter } from "../../src/events/model/feed.ts";
import { applyEvent } from "../../src/tasks/model/fold.ts";
import type { Task } from "../../src/tasks/model/task.ts";
import { feedStub } from "../../src/events/feed.rpc.ts";
import type { DeliverySender } from "../../src/events/webhooks/sender.ts";
import { webhookStub } from "../../src/events/webhooks/webhook.rpc.ts";
import type { SubscriptionState } from "../../src/events/model/subscription.ts";
import type { SimulatedObject } from "./simulated-object.ts";
import { createBystander } from "./virtual-clock.ts";
import { pause } from "./pause.ts";
import { readLog } from "./stored-state.ts";
import type { SimulatedPlatform } from "./platform.ts";

const OPENED_MS = 1_000;
const SLOWEST_MS = 10_000;
const CALL_WAIT_MS = 5_000;
const URL = "https://receiver.test/";

/** The webhooks of a world and the events that their receivers have accepted. */
export class Webhooks {
  /** Events accepted by a receiver, as `<webhook id> <task id>.<seq>`. */
  readonly received = new Set<string>();
  readonly #world: SimulatedPlatform;
  /** For each changed webhook, the filter before the change and the time of the change. */
  readonly #changes = new Map<string, { before: FeedFilter; at: number }>();

  constructor(platform: SimulatedPlatform) {
    this.#world = platform;
  }

  /** Registers all webhooks before faults begin. */
  async open(): Promise<void> {
    const { clock, faultPlan, scenario: setting, tables, env } = this.#world;
    const ids = Object.keys(setting.webhooks);
    if (ids.length === 0) return;
    faultPlan.isOver = true;
    const operator = createBystander("operator");
    for (const [id, filter] of Object.entries(setting.webhooks)) {
      tables.webhooks.set(id, {
        ...filter,
        types: filter.types === null ? null : [...filter.types],
        template: null,
        headerNames: null,
        id,
        format: "standard",
        url: URL,
        description: "",
        sealed: "",
        enabled: true,
        disabledReason: null,
        disabledAt: null,
        createdBy: "root",
        createdAt: clock.now,
      });
      clock.after(0, () => void webhookStub(env.WEBHOOKS, id).startAt(id, 0), operator);
    }
    await clock.runUntil(clock.now + OPENED_MS);
    faultPlan.isOver = false;
  }

  /** Simulates a receiver that may be slow, fail, or fail after accepting an event. */
  senderTo({ id: webhookId, url }: StoredWebhook): DeliverySender {
    return async ({ event }) => {
      const { rng, faultPlan } = this.#world;
      const at = Date.now();
      if (faultPlan.chance(0.1, "receiver slow")) await pause(rng.below(SLOWEST_MS));
      const fails = faultPlan.chance(0.1, "receiver failed");
      if (!fails || rng.oneIn(2)) this.received.add(`${webhookId} ${nameOf(event)}`);
      const outcome = {
        at,
        durationMs: Date.now() - at,
        status: fails ? 503 : 200,
        error: fails ? "The receiver failed." : null,
        answer: null,
        retryAfterSeconds: null,
      };
      return { outcome, isLast: false, url };
    };
  }

  /**
   * Changes a webhook's filter as the PATCH route does: only after the webhook has read all events
   * for its current filter. The calls after the change may fail.
   */
  async changeFilter(id: string, filter: FeedFilter): Promise<void> {
    const { clock, env, faultPlan, tables, trace } = this.#world;
    const row = tables.webhooks.get(id);
    // Webhooks for a single task are A2A configurations, whose filters do not change.
    if (row === undefined || row.taskId !== null) return;
    const object = webhookStub(env.WEBHOOKS, id);
    if ((await answered(object.catchUp(id))) !== true) return;
    const before = webhookFilterOf(row);
    tables.webhooks.set(id, {
      ...row,
      ...filter,
      types: filter.types === null ? null : [...filter.types],
    });
    this.#changes.set(id, { before, at: clock.now });
    trace?.(`the webhook ${id} has a new filter`);
    faultPlan.note("filter changed");
    await answered(object.reloadSettings(id));
    await answered(feedStub(env.FEED).refreshSubscribers());
    await answered(object.notify(id));
  }

  /**
   * Whether a webhook must have an event. `maybe` means that the event occurred before the filter
   * change and passes only one of the two filters.
   */
  #needs(id: string, event: FeedEvent): "yes" | "no" | "maybe" {
    const row = this.#world.tables.webhooks.get(id);
    if (row === undefined) return "no";
    const passesNow = matchesFilter(webhookFilterOf(row), event);
    const change = this.#changes.get(id);
    if (change === undefined || Date.parse(event.at) > change.at) return passesNow ? "yes" : "no";
    const passedThen = matchesFilter(change.before, event);
    if (passesNow && passedThen) return "yes";
    return passesNow || passedThen ? "maybe" : "no";
  }

  /** Whether no webhook has events left to read or deliver. */
  areSettled(): boolean {
    return [...this.#world.webhooks.values()].every((actor) => {
      const isPending = deliveriesOn(actor).some(({ status }) => status === 0);
      return !isPending && stateOn(actor)?.isBehind !== true;
    });
  }

  /** Whether each webhook has a delivery for every event that matches its filter. */
  haveAll(): boolean {
    const events = [...this.#world.tasks.values()].flatMap(feedEventsOn);
    return [...this.#world.webhooks].every(([id, actor]) => {
      const names = new Set(deliveriesOn(actor).map(({ name }) => name));
      return events.every((event) => this.#needs(id, event) !== "yes" || names.has(nameOf(event)));
    });
  }

  /** Returns what is wrong with an idle webhook, or null. Pending work needs an alarm. */
  findAlarmProblem(actor: SimulatedObject): string | null {
    const isPending = deliveriesOn(actor).some(({ status }) => status === 0);
    const { isBehind = false, rereadAt = null } = stateOn(actor) ?? {};
    if (!isPending && !isBehind && rereadAt === null) return null;
    return actor.wakesAt === Infinity ? "it has pending work but no alarm" : null;
  }

  /**
   * Returns the violations at the end. Each event that matches the filter must be delivered once.
   */
  violations(): string[] {
    const events = [...this.#world.tasks.values()].flatMap(feedEventsOn);
    return [...this.#world.webhooks].flatMap(([id, actor]) => {
      const rows = Map.groupBy(deliveriesOn(actor), ({ name }) => name);
      const needing = Map.groupBy(events, (event) => this.#needs(id, event));
      const expected = (needing.get("yes") ?? []).map(nameOf);
      const unneeded = new Set((needing.get("no") ?? []).map(nameOf));
      this.#world.faultPlan.note("webhook judged");
      const lost = expected.filter((name) => !rows.has(name));
      const undelivered = [...rows].flatMap(([name, [row]]) =>
        row?.status === 1 && this.received.has(`${id} ${name}`) ? [] : [name],
      );
      const doubled = [...rows].filter(([, { length }]) => length > 1).map(([name]) => name);
      const foreign = [...rows.keys()].filter((name) => unneeded.has(name));
      return [
        ...lost.map((name) => `the webhook ${id} does not have ${name}`),
        ...undelivered.map((name) => `the webhook ${id} has not delivered ${name}`),
        ...doubled.map((name) => `the webhook ${id} has ${name} more than once`),
        ...foreign.map((name) => `the webhook ${id} has ${name}, which does not match its filter`),
      ];
    });
  }
}

/** Returns a call's result, or null if it fails or times out. */
async function answered<Value>(call: Promise<Value>): Promise<Value | null> {
  try {
    return await withTimeout(CALL_WAIT_MS, call);
  } catch {
    return null;
  }
}

function nameOf({ taskId, seq }: Pick<FeedEvent, "taskId" | "seq">): string {
  return `${taskId}.${seq}`;
}

/** Returns the events of a task's log in the feed's format. */
function feedEventsOn({ name, disk }: SimulatedObject): FeedEvent[] {
  let task: Task | null = null;
  return readLog(disk).map((event) => {
    task = applyEvent(task, event);
    return toFeedEvent(name, task, event);
  });
}

function deliveriesOn({ disk }: SimulatedObject): { name: string; status: number }[] {
  if (disk.sqlite?.tables().includes("deliveries") !== true) return [];
  const rows = disk.sqlite.read("SELECT task_id, seq, status FROM deliveries", []);
  return rows.map(({ task_id, seq, status }) => ({
    name: `${String(task_id)}.${String(seq)}`,
    status: Number(status),
  }));
}

/** Reads a value that only the webhook's own object writes. */
function stateOn({ disk }: SimulatedObject): SubscriptionState | undefined {
  return disk.kv.get("standing") as SubscriptionState | undefined;
}
