import { queueTermsOf } from "../../src/agents/queue/queue.rpc.ts";
import { syncQueue } from "../../src/agents/queue/sync-queue.ts";
import { Rng } from "../support/rng.ts";
import type { SimulatedObject } from "./simulated-object.ts";
import { createBystander } from "./virtual-clock.ts";
import { findAlarmProblem } from "./pending-effects.ts";
import { TurnConsumers } from "./turn-consumers.ts";
import { withSimulatedGlobals } from "./globals.ts";
import { findViolations } from "./check-invariants.ts";
import { RequestLog } from "./request-log.ts";
import { Clients } from "./clients.ts";
import { settle, findLeftovers } from "./settled.ts";
import { drawScenario } from "./scenario.ts";
import { setReceiver } from "./fakes/webhook-sender.ts";
import { act } from "./fakes/report-step.ts";
import { UNKNOWN_STATEMENTS } from "./sql-statements.ts";
import { readLog, readTask } from "./stored-state.ts";
import { Webhooks } from "./webhooks.ts";
import { Workers } from "./workers.ts";
import { SimulatedPlatform } from "./platform.ts";

/** How long workers claim tasks and settings change. Faults occur for up to twice as long. */
const STORM_MS = 60_000;

/** The result of one world. */
export interface SimulationResult {
  readonly violations: readonly string[];
  /** The trace, if tracing is on. */
  readonly lines: readonly string[];
  readonly faultCounts: ReadonlyMap<string, number>;
  /** The number of acknowledged changes. */
  readonly acknowledged: number;
  /** The tasks' final statuses. */
  readonly ends: readonly string[];
}

/** Simulates a seed's world: commands and faults, then a quiet period, then the checks. */
export async function simulate(seed: number, isTraced = false): Promise<SimulationResult> {
  const rng = new Rng(seed);
  const platform = new SimulatedPlatform(rng, drawScenario(seed, rng), isTraced);
  const restore = withSimulatedGlobals(platform);
  try {
    return await new Simulation(platform).run();
  } finally {
    restore();
  }
}

class Simulation {
  readonly #world: SimulatedPlatform;
  readonly #ledger = new RequestLog();
  readonly #people: Clients;
  readonly #workers: Workers;
  readonly #webhooks: Webhooks;
  readonly #violations: string[] = [];
  readonly #wereIdle = new Set<string>();
  #looks = 0;

  constructor(platform: SimulatedPlatform) {
    this.#world = platform;
    this.#people = new Clients(platform, this.#ledger);
    this.#workers = new Workers(platform, this.#ledger);
    this.#webhooks = new Webhooks(platform);
    const turnConsumers = new TurnConsumers(platform, this.#ledger);
    platform.onTurn = (message, delayMs) => turnConsumers.take(message, delayMs);
    platform.onNotify = (taskId) => this.#people.handleNotification(taskId);
    act(turnConsumers.step());
    setReceiver((webhook) => this.#webhooks.senderTo(webhook));
    platform.clock.afterTurn = (owner) => {
      owner.strike("continues");
      this.#lookAtAlarms();
    };
  }

  async run(): Promise<SimulationResult> {
    const { clock, faultPlan, rng, tasks, lines, scenario: setting } = this.#world;
    await this.#webhooks.open();
    this.#plan();
    await clock.runUntil(clock.now + rng.between(STORM_MS / 3, 2 * STORM_MS));
    faultPlan.isOver = true;
    this.#world.trace?.("faults are over");
    await settle(this.#world, this.#workers, this.#webhooks);
    this.#violations.push(
      ...findViolations(this.#world, this.#ledger, (id) => this.#people.wasMade(id)),
    );
    this.#violations.push(...this.#webhooks.violations());
    this.#countGivenUp();
    const ends = [...tasks.values()].flatMap(({ disk }) => readTask(disk)?.status ?? []);
    if (setting.retentionDays > 0) this.#violations.push(...(await findLeftovers(this.#world)));
    this.#violations.push(
      ...UNKNOWN_STATEMENTS.splice(0).map((sql) => `not implemented by the simulator: ${sql}`),
    );
    const applied = [...this.#ledger.asked.values()].filter((asked) => asked.outcome === "done");
    const acknowledged = applied.length + this.#people.created;
    return {
      violations: this.#violations,
      lines,
      faultCounts: faultPlan.faultCounts,
      acknowledged,
      ends,
    };
  }

  /** Counts attempts that failed because of a long outage. */
  #countGivenUp(): void {
    for (const { disk } of this.#world.tasks.values()) {
      for (const event of readLog(disk)) {
        if (event.type !== "failed") continue;
        const { code, message } = event.data.error;
        const isGivenUp =
          code === "DELIVERABLE_STORE_FAILED" || message.includes("minutes of platform failures");
        if (isGivenUp) this.#world.faultPlan.note("patience ended");
      }
    }
  }

  /** Schedules what clients and workers do while faults occur. */
  #plan(): void {
    const { rng, scenario: setting, clock } = this.#world;
    for (const taskId of setting.taskIds) {
      let ms = rng.below(5_000);
      for (let acts = rng.between(2, 7); acts > 0; acts -= 1) {
        this.#people.actIn(ms, taskId);
        ms += rng.oneIn(4) ? rng.below(500) : rng.below(15_000);
      }
    }
    for (const [agentId, { executor }] of Object.entries(setting.agents)) {
      if (executor === "worker") {
        for (let ms = rng.below(5_000); ms < STORM_MS; ms += rng.between(1_000, 15_000)) {
          this.#workers.claimIn(ms, agentId);
        }
      }
      if (rng.oneIn(8)) this.#disableFor(agentId, rng.below(STORM_MS / 2), rng.below(STORM_MS));
    }
    const { newFilter } = setting;
    if (newFilter !== null) {
      const change = (): void => void this.#webhooks.changeFilter("some", newFilter);
      clock.after(rng.below(STORM_MS), change, createBystander("operator"));
    }
    for (let times = rng.below(4); times > 0; times -= 1) {
      clock.after(rng.below(STORM_MS), () =>
        this.#world.actors().forEach((object) => object.evict()),
      );
    }
  }

  #disableFor(agentId: string, inMs: number, forMs: number): void {
    const { clock } = this.#world;
    const registry = createBystander("registry");
    clock.after(inMs, () => void this.#enable(agentId, false), registry);
    clock.after(inMs + forMs, () => void this.#enable(agentId, true), registry);
    // The call that enables the agent may have failed, so repeat it.
    clock.after(4 * STORM_MS, () => void this.#enable(agentId, true), registry);
  }

  async #enable(agentId: string, enabled: boolean): Promise<void> {
    const { env, tables, trace, faultPlan } = this.#world;
    const agent = tables.agents.get(agentId);
    if (agent === undefined) return;
    agent.enabled = enabled;
    trace?.(`${agentId} is ${enabled ? "enabled" : "disabled"}`);
    try {
      await syncQueue(env, agentId, queueTermsOf(agent.terms));
    } catch {
      faultPlan.note("queue not settled");
    }
  }

  /**
   * Checks the alarms of tasks that have just become idle, and of idle webhooks. If a task has an
   * alarm, only one in four checks is made.
   */
  #lookAtAlarms(): void {
    for (const object of this.#world.tasks.values()) {
      if (!object.isIdle) {
        this.#wereIdle.delete(object.name);
        continue;
      }
      if (this.#wereIdle.has(object.name)) continue;
      this.#wereIdle.add(object.name);
      this.#looks += 1;
      if (object.disk.alarm !== null && this.#looks % 4 > 0) continue;
      this.#note(object, findAlarmProblem(this.#world, object));
    }
    for (const object of this.#world.webhooks.values()) {
      if (object.isIdle) this.#note(object, this.#webhooks.findAlarmProblem(object));
    }
  }

  #note(object: SimulatedObject, violation: string | null): void {
    if (violation === null) return;
    this.#world.trace?.(`${object.name} is idle, but ${violation}`);
    this.#violations.push(`${object.name}, idle: ${violation}`);
  }
}
