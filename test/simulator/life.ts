import { queueTermsOf } from "../../src/agents/queue/queue.rpc.ts";
import { syncQueue } from "../../src/agents/queue/sync-queue.ts";
import { Dice } from "../domain/dice.ts";
import type { Actor } from "./actor.ts";
import { bystander } from "./clock.ts";
import { alarmFault } from "./debts.ts";
import { Elsewhere } from "./elsewhere.ts";
import { under } from "./globals.ts";
import { judge } from "./judge.ts";
import { Ledger } from "./ledger.ts";
import { People } from "./people.ts";
import { comeToRest, leftovers } from "./quiet.ts";
import { settingOf } from "./setting.ts";
import { receiveBy } from "./stand-ins/deliver.ts";
import { act } from "./stand-ins/step.ts";
import { UNKNOWN } from "./statements.ts";
import { logOn, taskOn } from "./truth.ts";
import { Webhooks } from "./webhooks.ts";
import { Workers } from "./workers.ts";
import { World } from "./world.ts";

/** Commands are given for as long; faults strike for up to twice that. */
const STORM_MS = 60_000;

/** How the lives of one world went. */
export interface Lived {
  readonly faults: readonly string[];
  /** What happened, in a traced world. */
  readonly lines: readonly string[];
  readonly befell: ReadonlyMap<string, number>;
  /** Changes that somebody was told are made. */
  readonly acknowledged: number;
  /** The statuses in which its tasks came to rest. */
  readonly ends: readonly string[];
}

/** One world, as its seed has it: commands and faults, then quiet, then the verdict. */
export async function live(seed: number, isTraced = false): Promise<Lived> {
  const dice = new Dice(seed);
  const world = new World(dice, settingOf(seed, dice), isTraced);
  const restore = under(world);
  try {
    return await new Course(world).run();
  } finally {
    restore();
  }
}

class Course {
  readonly #world: World;
  readonly #ledger = new Ledger();
  readonly #people: People;
  readonly #workers: Workers;
  readonly #webhooks: Webhooks;
  readonly #faults: string[] = [];
  readonly #wereIdle = new Set<string>();
  #looks = 0;

  constructor(world: World) {
    this.#world = world;
    this.#people = new People(world, this.#ledger);
    this.#workers = new Workers(world, this.#ledger);
    this.#webhooks = new Webhooks(world);
    const elsewhere = new Elsewhere(world, this.#ledger);
    world.onTurn = (message, delayMs) => elsewhere.take(message, delayMs);
    world.onNudge = (taskId) => this.#people.hear(taskId);
    act(elsewhere.step());
    receiveBy((webhook) => this.#webhooks.senderTo(webhook));
    world.clock.afterTurn = (owner) => {
      owner.strike("goes on");
      this.#lookAtAlarms();
    };
  }

  async run(): Promise<Lived> {
    const { clock, fates, dice, tasks, lines, setting } = this.#world;
    await this.#webhooks.open();
    this.#plan();
    await clock.runUntil(clock.now + dice.between(STORM_MS / 3, 2 * STORM_MS));
    fates.isOver = true;
    this.#world.trace?.("faults are over");
    await comeToRest(this.#world, this.#workers, this.#webhooks);
    this.#faults.push(...judge(this.#world, this.#ledger, (id) => this.#people.wasMade(id)));
    this.#faults.push(...this.#webhooks.faults());
    this.#countGivenUp();
    const ends = [...tasks.values()].flatMap(({ disk }) => taskOn(disk)?.status ?? []);
    if (setting.retentionDays > 0) this.#faults.push(...(await leftovers(this.#world)));
    this.#faults.push(...UNKNOWN.splice(0).map((sql) => `unknown to the simulator: ${sql}`));
    const told = [...this.#ledger.asked.values()].filter((asked) => asked.told === "done");
    const acknowledged = told.length + this.#people.created;
    return { faults: this.#faults, lines, befell: fates.befell, acknowledged, ends };
  }

  /** Attempts whose faults have lasted too long. */
  #countGivenUp(): void {
    for (const { disk } of this.#world.tasks.values()) {
      for (const event of logOn(disk)) {
        if (event.type !== "failed") continue;
        const { code, message } = event.data.error;
        const isGivenUp =
          code === "DELIVERABLE_STORE_FAILED" || message.includes("was given up after");
        if (isGivenUp) this.#world.fates.note("patience ended");
      }
    }
  }

  /** What everybody will do while faults strike. */
  #plan(): void {
    const { dice, setting, clock } = this.#world;
    for (const taskId of setting.taskIds) {
      let ms = dice.below(5_000);
      for (let acts = dice.between(2, 7); acts > 0; acts -= 1) {
        this.#people.actIn(ms, taskId);
        ms += dice.oneIn(4) ? dice.below(500) : dice.below(15_000);
      }
    }
    for (const [agentId, { executor }] of Object.entries(setting.agents)) {
      if (executor === "worker") {
        for (let ms = dice.below(5_000); ms < STORM_MS; ms += dice.between(1_000, 15_000)) {
          this.#workers.claimIn(ms, agentId);
        }
      }
      if (dice.oneIn(8)) this.#disableFor(agentId, dice.below(STORM_MS / 2), dice.below(STORM_MS));
    }
    const { newFilter } = setting;
    if (newFilter !== null) {
      const change = (): void => void this.#webhooks.changeFilter("some", newFilter);
      clock.after(dice.below(STORM_MS), change, bystander("operator"));
    }
    for (let times = dice.below(4); times > 0; times -= 1) {
      clock.after(dice.below(STORM_MS), () =>
        this.#world.actors().forEach((actor) => actor.evict()),
      );
    }
  }

  #disableFor(agentId: string, inMs: number, forMs: number): void {
    const { clock } = this.#world;
    const registry = bystander("registry");
    clock.after(inMs, () => void this.#enable(agentId, false), registry);
    clock.after(inMs + forMs, () => void this.#enable(agentId, true), registry);
    // Who does not get through does it again.
    clock.after(4 * STORM_MS, () => void this.#enable(agentId, true), registry);
  }

  async #enable(agentId: string, enabled: boolean): Promise<void> {
    const { env, tables, trace, fates } = this.#world;
    const agent = tables.agents.get(agentId);
    if (agent === undefined) return;
    agent.enabled = enabled;
    trace?.(`${agentId} is ${enabled ? "enabled" : "disabled"}`);
    try {
      await syncQueue(env, agentId, queueTermsOf(agent.terms));
    } catch {
      fates.note("queue not settled");
    }
  }

  /** Whenever a task comes to rest: where an alarm is set, to look now and then is often enough. */
  #lookAtAlarms(): void {
    for (const actor of this.#world.tasks.values()) {
      if (!actor.isIdle) {
        this.#wereIdle.delete(actor.name);
        continue;
      }
      if (this.#wereIdle.has(actor.name)) continue;
      this.#wereIdle.add(actor.name);
      this.#looks += 1;
      if (actor.disk.alarm !== null && this.#looks % 4 > 0) continue;
      this.#note(actor, alarmFault(this.#world, actor));
    }
    for (const actor of this.#world.webhooks.values()) {
      if (actor.isIdle) this.#note(actor, this.#webhooks.alarmFault(actor));
    }
  }

  #note(actor: Actor, fault: string | null): void {
    if (fault === null) return;
    this.#world.trace?.(`${actor.name} rests, but ${fault}`);
    this.#faults.push(`${actor.name}, at rest: ${fault}`);
  }
}
