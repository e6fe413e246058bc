import { env } from "cloudflare:workers";
import { expect } from "vitest";
import type { TaskStatus } from "../../src/tasks/model/task.ts";
import type { Answer } from "../support/client.ts";
import { newTaskStub } from "../../src/tasks/task.rpc.ts";
import { wake } from "../support/tasks.ts";
import type { Rng } from "../support/rng.ts";
import { buildCreated } from "../tasks/model/fixtures.ts";
import { claim } from "../tasks/workers/fixtures.ts";
import type { CallInterceptor } from "./interpose-bindings.ts";
import { expectEnded, type Stored } from "./expect-log.ts";

/** The longest delay of a call, in turns of the event loop. */
const HELD_MAX = 5;

/**
 * Delays some binding calls at random, so races vary. Skips calls to the feed, because they are the
 * slowest and no race depends on them.
 */
export function delayCalls(rng: Rng): CallInterceptor {
  return async (binding, real) => {
    if (binding === "FEED") return undefined;
    if (rng.oneIn(3)) await yieldTurns(rng.between(1, HELD_MAX));
    return real();
  };
}

/** Yields to other work for this many turns of the event loop. */
export async function yieldTurns(count: number): Promise<void> {
  for (let turn = 0; turn < count; turn += 1) await scheduler.wait(0);
}

/** Sends two requests concurrently, one of them up to HELD_MAX turns later than the other. */
export async function race(
  rng: Rng,
  one: () => Promise<Answer>,
  other: () => Promise<Answer>,
): Promise<[Answer, Answer]> {
  const lead = rng.below(2 * HELD_MAX + 1) - HELD_MAX;
  return Promise.all([
    yieldTurns(Math.max(0, lead)).then(one),
    yieldTurns(Math.max(0, -lead)).then(other),
  ]);
}

/** Counts the wins of each side. If one side always wins, there was no race. */
export class RaceScore {
  readonly #wins = new Map<string, number>();

  won(side: string): void {
    this.#wins.set(side, (this.#wins.get(side) ?? 0) + 1);
  }

  expectBoth(sides: readonly string[], least: number): void {
    for (const side of sides) {
      expect(this.#wins.get(side) ?? 0, `${side} of ${this.toString()}`).toBeGreaterThanOrEqual(
        least,
      );
    }
  }

  toString(): string {
    return [...this.#wins].map(([side, wins]) => `${side} ${wins}`).join(", ");
  }
}

/** Asserts that the losing request gets a documented error that states the winning status. */
export function expectLoser({ status, body, text }: Answer, ...by: readonly TaskStatus[]): void {
  expect(status, text).toBe(409);
  expect(["INVALID_STATE", "LEASE_LOST"]).toContain(body.error.code);
  expect(by).toContain(body.error.context.status);
}

/**
 * Runs a task's alarms until none is set, then asserts that the task has ended with this status.
 */
export async function ended(id: string, status: TaskStatus): Promise<Stored> {
  while (await wake(id));
  return expectEnded(id, status);
}

/**
 * Creates waiting tasks for a worker agent directly in their objects, because their creation is not
 * part of the race.
 */
export async function createWaitingTasks(agentId: string, count: number): Promise<string[]> {
  const choice = { agentId, agentName: agentId, reasons: [], candidates: [] };
  const ids: string[] = [];
  while (ids.length < count) {
    const { id, stub } = newTaskStub(env.TASKS, null);
    const created = await stub.create(buildCreated({ choice }));
    if (!created.ok) throw new Error(JSON.stringify(created));
    await wake(id);
    ids.push(id);
  }
  return ids;
}

/** Creates tasks, has a worker of the agent claim them, and returns them with their leases. */
export async function createHeldTasks(agentId: string, count: number): Promise<HeldTask[]> {
  const ids = await createWaitingTasks(agentId, count);
  // The leases must outlast the last race, however slow the machine is.
  const claimed = await claim(agentId, { max: count, leaseSeconds: 600 });
  const leases = new Map(claimed.map(({ taskId, lease }) => [taskId, lease.token]));
  return ids.map((id) => ({ id, lease: leases.get(id) ?? "none" }));
}

export interface HeldTask {
  readonly id: string;
  readonly lease: string;
}
