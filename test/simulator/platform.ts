import { AgentQueue } from "../../src/agents/queue/queue.object.ts";
import type { SaveDirectoryRows } from "../../src/events/directory-writer.ts";
import { EventFeed } from "../../src/events/feed.object.ts";
import { TaskObject } from "../../src/tasks/runtime/task.object.ts";
import { runBuiltinStep } from "../../src/executors/builtin.ts";
import { taskStub, type TaskRpc } from "../../src/tasks/task.rpc.ts";
import type { TurnMessage } from "../../src/tasks/model/turn.ts";
import type { FeedFilter } from "../../src/events/model/feed.ts";
import { WebhookObject } from "../../src/events/webhooks/webhook.object.ts";
import type { Rng } from "../support/rng.ts";
import { T0 } from "../tasks/model/fixtures.ts";
import { SimulatedObject } from "./simulated-object.ts";
import { Files, namespaceOf } from "./bindings.ts";
import { VirtualClock } from "./virtual-clock.ts";
import { SimulatedD1 } from "./d1.ts";
import { Disk } from "./disk.ts";
import { FaultPlan } from "./fault-plan.ts";
import { countFeedEvents, SimulatedFeed } from "./feed.ts";
import type { Scenario } from "./scenario.ts";
import { Sqlite } from "./sqlite.ts";
import { getDatabase } from "./fakes/d1-client.ts";
import { saveUnratedRows } from "./fakes/directory-store.ts";
import { D1Tables } from "./d1-tables.ts";
import type { Trace } from "./trace.ts";
import { Network } from "./network.ts";

const TASK_VERBS = [
  "create",
  "replay",
  "read",
  "command",
  "reserveCall",
  "payCall",
  "releaseCall",
  "recordRejectedCall",
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
/** A subscriber of the feed with this filter is notified of all events. */
const ALL_EVENTS: FeedFilter = { types: null, agentId: null, teamId: null, taskId: null };

/** The simulated platform for one seed: objects, databases, a bucket and a queue. */
export class SimulatedPlatform {
  readonly clock = new VirtualClock();
  readonly rng: Rng;
  readonly faultPlan: FaultPlan;
  readonly lines: string[] = [];
  readonly trace: Trace;
  readonly scenario: Scenario;
  readonly tasks = new Map<string, SimulatedObject>();
  readonly queues = new Map<string, SimulatedObject>();
  readonly webhooks = new Map<string, SimulatedObject>();
  readonly feed: SimulatedObject;
  readonly files: Files;
  /** The first database, with the agents and the directory or its first shard. */
  readonly tables: D1Tables;
  /** The directory's databases. */
  readonly shards: readonly [D1Tables, ...D1Tables[]];
  readonly env: Env;
  /** Called when a task notifies its subscribers. */
  onNotify: (taskId: string) => void = () => {};
  /** Called for each message in the turn queue. */
  onTurn: (message: TurnMessage, delayMs: number) => void = () => {};

  constructor(rng: Rng, setting: Scenario, isTraced: boolean) {
    this.rng = rng;
    this.scenario = setting;
    this.trace = isTraced
      ? (line) => this.lines.push(`${String(this.clock.now - T0).padStart(8)} ${line}`)
      : null;
    this.faultPlan = new FaultPlan(rng, this.clock.now);
    const network = new Network(this.clock, this.faultPlan, this.trace);
    this.files = new Files(network);
    this.tables = new D1Tables(setting.agents);
    const further = Array.from({ length: setting.shards - 1 }, () => new D1Tables({}));
    this.shards = [this.tables, ...further];
    const hasWebhooks = Object.keys(setting.webhooks).length > 0;
    const saveRows: SaveDirectoryRows = async (writes) => {
      const written = await saveUnratedRows(getDatabase(this.env.DB), writes);
      written.forEach(() => this.faultPlan.note("row written by the feed"));
      return written;
    };
    this.feed = hasWebhooks
      ? this.#actor(
          "feed",
          (ctx) => new EventFeed(ctx, this.env, saveRows),
          new Disk(new Sqlite()),
          ALL_EVENTS,
        )
      : this.#actor("feed", (ctx) => new SimulatedFeed(ctx, saveRows));
    this.env = this.#bindings(network);
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
    if (!found.ok) throw new Error(`Task ${taskId} does not exist`);
    return found.value;
  }

  actors(): SimulatedObject[] {
    return [...this.tasks.values(), ...this.queues.values(), this.feed, ...this.webhooks.values()];
  }

  /** Returns how often the feed has stored each event, by `<task id>.<seq>`. */
  fed(): ReadonlyMap<string, number> {
    return countFeedEvents(this.feed.disk);
  }

  #actor(
    name: string,
    make: (ctx: DurableObjectState) => object,
    disk = new Disk(),
    interest: FeedFilter | null = null,
  ): SimulatedObject {
    const { clock, faultPlan, rng, trace } = this;
    const notified = (objectName: string): void => {
      if (this.tasks.has(objectName)) this.onNotify(objectName);
    };
    return new SimulatedObject(
      name,
      make,
      { clock, faultPlan, rng, trace, notified, interest },
      disk,
    );
  }

  #bindings(network: Network): Env {
    const turns = {
      send: (message: TurnMessage, { delaySeconds }: { readonly delaySeconds: number }) =>
        network.call({ kind: "turns", verb: "send", to: "turns" }, (answer) => {
          this.onTurn(message, delaySeconds * 1_000);
          answer({ ok: true, value: undefined });
        }),
    };
    const databases = this.shards.map((tables, shard) => {
      const [binding, name] = shard === 0 ? ["DB", "d1"] : [`DIRECTORY_${shard}`, `d1-${shard}`];
      return [binding, new SimulatedD1(name, tables, network)];
    });
    return asEnv({
      ...Object.fromEntries(databases),
      FILES: this.files,
      TURNS: turns,
      TASKS: namespaceOf(network, "task", TASK_VERBS, (id) => this.tasks.get(id)),
      QUEUES: namespaceOf(network, "queue", QUEUE_VERBS, (id) => this.queues.get(id)),
      FEED: namespaceOf(network, "feed", FEED_VERBS, () => this.feed),
      WEBHOOKS: namespaceOf(network, "webhook", WEBHOOK_VERBS, (id) => this.webhooks.get(id)),
      DIRECTORY_SHARDS: String(this.scenario.shards),
      DIRECTORY_FULL: "0",
      AGENT_STEP_INTERVAL_MS: String(this.scenario.stepIntervalMs),
      ALARM_RUN_MAX_MS: "250",
      TASK_RETENTION_DAYS: String(this.scenario.retentionDays),
    });
  }
}

/** The simulated objects use only these members of the bindings. */
function asEnv(bindings: object): Env {
  return bindings as Env;
}

/** Never called, because the simulated sender formats no messages. */
function noPushWriter(): never {
  throw new Error("The simulator has no A2A push writer");
}
