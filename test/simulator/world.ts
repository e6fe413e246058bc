import { AgentQueue } from "../../src/agents/queue/queue.object.ts";
import { EventFeed } from "../../src/events/feed.object.ts";
import { TaskObject } from "../../src/tasks/runtime/task.object.ts";
import { runBuiltinStep } from "../../src/executors/builtin.ts";
import { taskStub, type TaskRpc } from "../../src/tasks/task.rpc.ts";
import type { TurnMessage } from "../../src/tasks/model/turn.ts";
import { WebhookObject } from "../../src/events/webhooks/webhook.object.ts";
import type { Dice } from "../domain/dice.ts";
import { T0 } from "../domain/play.ts";
import { Actor } from "./actor.ts";
import { Files, namespaceOf } from "./bindings.ts";
import { VirtualClock } from "./clock.ts";
import { SimulatedD1 } from "./d1.ts";
import { Disk } from "./disk.ts";
import { Fates } from "./fates.ts";
import { fedOn, Feed } from "./feed.ts";
import type { Setting } from "./setting.ts";
import { Sqlite } from "./sqlite.ts";
import { Tables } from "./tables.ts";
import type { Trace } from "./trace.ts";
import { Wire } from "./wire.ts";

const TASK_VERBS = [
  "create",
  "replay",
  "read",
  "command",
  "reserveCall",
  "payCall",
  "releaseCall",
  "admit",
  "release",
  "endLease",
  "report",
  "beginTurn",
  "progressTurn",
  "endTurn",
  "events",
];
const FEED_VERBS = ["publish", "readPage", "readLastPosition", "refreshSubscribers"];
const WEBHOOK_VERBS = ["notify", "startAt", "catchUp", "reloadSettings", "deleteState"];
const QUEUE_VERBS = ["enqueue", "remove", "claim", "cancelClaim", "configure", "readCounts"];

/** The platform for the tasks of one seed, with everything that the object of a task meets there. */
export class World {
  readonly clock = new VirtualClock();
  readonly dice: Dice;
  readonly fates: Fates;
  readonly lines: string[] = [];
  readonly trace: Trace;
  readonly setting: Setting;
  readonly tasks = new Map<string, Actor>();
  readonly queues = new Map<string, Actor>();
  readonly webhooks = new Map<string, Actor>();
  readonly feed: Actor;
  readonly files: Files;
  /** The first database: agents, and the directory or the first shard of it. */
  readonly tables: Tables;
  /** The databases of the directory. */
  readonly shards: readonly [Tables, ...Tables[]];
  readonly env: Env;
  /** Who follows a task hears of its changes here. */
  onNudge: (taskId: string) => void = () => {};
  /** What lies in the queue of turns goes here. */
  onTurn: (message: TurnMessage, delayMs: number) => void = () => {};

  constructor(dice: Dice, setting: Setting, isTraced: boolean) {
    this.dice = dice;
    this.setting = setting;
    this.trace = isTraced
      ? (line) => this.lines.push(`${String(this.clock.now - T0).padStart(8)} ${line}`)
      : null;
    this.fates = new Fates(dice, this.clock.now);
    const wire = new Wire(this.clock, this.fates, this.trace);
    this.files = new Files(wire);
    this.tables = new Tables(setting.agents);
    const further = Array.from({ length: setting.shards - 1 }, () => new Tables({}));
    this.shards = [this.tables, ...further];
    const hasWebhooks = Object.keys(setting.webhooks).length > 0;
    this.feed = hasWebhooks
      ? this.#actor("feed", (ctx) => new EventFeed(ctx, this.env), new Disk(new Sqlite()))
      : this.#actor("feed", (ctx) => new Feed(ctx));
    this.env = this.#bindings(wire);
    for (const id of Object.keys(setting.webhooks)) {
      const disk = new Disk(new Sqlite());
      const make = (ctx: DurableObjectState): object =>
        new WebhookObject(ctx, this.env, noPushWriter);
      this.webhooks.set(id, this.#actor(`webhook ${id}`, make, disk));
    }
    for (const id of setting.taskIds) {
      this.tasks.set(
        id,
        this.#actor(
          id,
          (ctx) => new TaskObject(ctx, this.env, (request) => runBuiltinStep(this.env, request)),
        ),
      );
    }
    for (const id of Object.keys(setting.agents)) {
      this.queues.set(
        id,
        this.#actor(`queue of ${id}`, (ctx) => new AgentQueue(ctx, this.env)),
      );
    }
  }

  port(taskId: string): TaskRpc {
    const found = taskStub(this.env.TASKS, taskId);
    if (!found.ok) throw new Error(`There is no task ${taskId}`);
    return found.value;
  }

  actors(): Actor[] {
    return [...this.tasks.values(), ...this.queues.values(), this.feed, ...this.webhooks.values()];
  }

  /** How often the feed has each event, by `<task id>.<seq>`. */
  fed(): ReadonlyMap<string, number> {
    return fedOn(this.feed.disk);
  }

  #actor(name: string, make: (ctx: DurableObjectState) => object, disk = new Disk()): Actor {
    const { clock, fates, dice, trace } = this;
    const nudged = (nudgedName: string): void => this.onNudge(nudgedName);
    return new Actor(name, make, { clock, fates, dice, trace, nudged }, disk);
  }

  #bindings(wire: Wire): Env {
    const turns = {
      send: (message: TurnMessage, { delaySeconds }: { readonly delaySeconds: number }) =>
        wire.call({ kind: "turns", verb: "send", to: "turns" }, (answer) => {
          this.onTurn(message, delaySeconds * 1_000);
          answer({ ok: true, value: undefined });
        }),
    };
    const databases = this.shards.map((tables, shard) => {
      const [binding, name] = shard === 0 ? ["DB", "d1"] : [`DIRECTORY_${shard}`, `d1-${shard}`];
      return [binding, new SimulatedD1(name, tables, wire)];
    });
    return asEnv({
      ...Object.fromEntries(databases),
      FILES: this.files,
      TURNS: turns,
      TASKS: namespaceOf(wire, "task", TASK_VERBS, (id) => this.tasks.get(id)),
      QUEUES: namespaceOf(wire, "queue", QUEUE_VERBS, (id) => this.queues.get(id)),
      FEED: namespaceOf(wire, "feed", FEED_VERBS, () => this.feed),
      WEBHOOKS: namespaceOf(wire, "webhook", WEBHOOK_VERBS, (id) => this.webhooks.get(id)),
      DIRECTORY_SHARDS: String(this.setting.shards),
      DIRECTORY_FULL: "0",
      AGENT_STEP_INTERVAL_MS: String(this.setting.stepIntervalMs),
      ALARM_RUN_MAX_MS: "250",
      TASK_RETENTION_DAYS: String(this.setting.retentionDays),
    });
  }
}

/** The bindings that the simulated objects use, and of each what they use of it. */
function asEnv(bindings: object): Env {
  return bindings as Env;
}

/** The simulated sender writes no messages. */
function noPushWriter(): never {
  throw new Error("The simulator has no A2A push writer");
}
