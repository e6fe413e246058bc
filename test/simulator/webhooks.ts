import { passes, type FeedEvent } from "../../src/domain/feed.ts";
import { apply } from "../../src/domain/fold.ts";
import type { Task } from "../../src/domain/task.ts";
import { feedEventOf } from "../../src/tasks/event-view.ts";
import type { Sender } from "../../src/webhooks/deliver.ts";
import { webhookOf } from "../../src/webhooks/port.ts";
import type { Standing } from "../../src/webhooks/standing.ts";
import type { StoredWebhook } from "../../src/webhooks/store.ts";
import type { Actor } from "./actor.ts";
import { bystander } from "./clock.ts";
import { pause } from "./pause.ts";
import { logOn } from "./truth.ts";
import type { World } from "./world.ts";

const OPENED_MS = 1_000;
const SLOWEST_MS = 10_000;
const URL = "https://receiver.test/";

/** The rows of the world's webhooks, and the events that their receivers received. */
export class Webhooks {
  /** `<webhook id> <task id>.<seq>` of each event that a receiver has accepted. */
  readonly received = new Set<string>();
  readonly #world: World;

  constructor(world: World) {
    this.#world = world;
  }

  /** Registers every webhook before faults begin. */
  async open(): Promise<void> {
    const { clock, fates, setting, tables, env } = this.#world;
    const ids = Object.keys(setting.webhooks);
    if (ids.length === 0) return;
    fates.isOver = true;
    const operator = bystander("operator");
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
      clock.after(0, () => void webhookOf(env.WEBHOOKS, id).begin(id, 0), operator);
    }
    await clock.runUntil(clock.now + OPENED_MS);
    fates.isOver = false;
  }

  /** A receiver that is slow, fails, or fails after accepting an event. */
  senderTo({ id: webhookId, url }: StoredWebhook): Sender {
    return async ({ event }) => {
      const { dice, fates } = this.#world;
      const at = Date.now();
      if (fates.chance(0.1, "receiver slow")) await pause(dice.below(SLOWEST_MS));
      const fails = fates.chance(0.1, "receiver failed");
      if (!fails || dice.oneIn(2)) this.received.add(`${webhookId} ${nameOf(event)}`);
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

  /** Whether no webhook has events left to read or deliver. */
  areSettled(): boolean {
    return [...this.#world.webhooks.values()].every((actor) => {
      const isPending = deliveriesOn(actor).some(({ status }) => status === 0);
      return !isPending && standingOn(actor)?.isBehind !== true;
    });
  }

  /** Whether each webhook has a delivery for every event that matches its filter. */
  haveAll(): boolean {
    const events = [...this.#world.tasks.values()].flatMap(feedEventsOn);
    return [...this.#world.webhooks].every(([id, actor]) => {
      const filter = this.#world.setting.webhooks[id];
      const names = new Set(deliveriesOn(actor).map(({ name }) => name));
      return (
        filter === undefined ||
        events.every((event) => !passes(filter, event) || names.has(nameOf(event)))
      );
    });
  }

  /** The problem of an idle webhook, or null: pending work must have an alarm. */
  alarmFault(actor: Actor): string | null {
    const isPending = deliveriesOn(actor).some(({ status }) => status === 0);
    if (!isPending && standingOn(actor)?.isBehind !== true) return null;
    return actor.wakesAt === Infinity ? "it has pending deliveries and no alarm" : null;
  }

  /** Violations at the end: each event that matches the filter must be delivered once. */
  faults(): string[] {
    const events = [...this.#world.tasks.values()].flatMap(feedEventsOn);
    return [...this.#world.webhooks].flatMap(([id, actor]) => {
      const filter = this.#world.setting.webhooks[id];
      if (filter === undefined) return [];
      const rows = Map.groupBy(deliveriesOn(actor), ({ name }) => name);
      const expected = events.filter((event) => passes(filter, event)).map(nameOf);
      this.#world.fates.note("webhook judged");
      const lost = expected.filter((name) => !rows.has(name));
      const undelivered = expected.filter((name) => {
        const isReceived = this.received.has(`${id} ${name}`);
        return rows.has(name) && (rows.get(name)?.[0]?.status !== 1 || !isReceived);
      });
      const doubled = [...rows].filter(([, { length }]) => length > 1).map(([name]) => name);
      const foreign = [...rows.keys()].filter((name) => !expected.includes(name));
      return [
        ...lost.map((name) => `the webhook ${id} lacks ${name}`),
        ...undelivered.map((name) => `the webhook ${id} has not delivered ${name}`),
        ...doubled.map((name) => `the webhook ${id} has ${name} more than once`),
        ...foreign.map((name) => `the webhook ${id} has ${name}, which does not pass its filter`),
      ];
    });
  }
}

function nameOf({ taskId, seq }: Pick<FeedEvent, "taskId" | "seq">): string {
  return `${taskId}.${seq}`;
}

/** The events of a task's log as in the feed. */
function feedEventsOn({ name, disk }: Actor): FeedEvent[] {
  let task: Task | null = null;
  return logOn(disk).map((event) => {
    task = apply(task, event);
    return feedEventOf(name, task, event);
  });
}

function deliveriesOn({ disk }: Actor): { name: string; status: number }[] {
  if (disk.sqlite?.tables().includes("deliveries") !== true) return [];
  const rows = disk.sqlite.read("SELECT task_id, seq, status FROM deliveries", []);
  return rows.map(({ task_id, seq, status }) => ({
    name: `${String(task_id)}.${String(seq)}`,
    status: Number(status),
  }));
}

/** Only the webhook's ledger writes this value. */
function standingOn({ disk }: Actor): Standing | undefined {
  return disk.kv.get("standing") as Standing | undefined;
}
