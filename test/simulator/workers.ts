import { queueStub, type ClaimedTask } from "../../src/agents/queue/queue.rpc.ts";
import type { WorkerReport } from "../../src/tasks/model/command.ts";
import { createBystander } from "./virtual-clock.ts";
import type { RequestLog } from "./request-log.ts";
import { outcomeOf } from "./outcomes.ts";
import { ANYBODY } from "./clients.ts";
import { pause } from "./pause.ts";
import type { SimulatedPlatform } from "./platform.ts";

/** Workers that claim tasks, report on them, and sometimes crash. */
export class Workers {
  readonly #world: SimulatedPlatform;
  readonly #ledger: RequestLog;
  #claims = 0;

  constructor(platform: SimulatedPlatform, requestLog: RequestLog) {
    this.#world = platform;
    this.#ledger = requestLog;
  }

  claimIn(ms: number, agentId: string): void {
    const self = createBystander(`worker ${(this.#claims += 1)}`);
    this.#world.clock.after(ms, () => void this.#claim(agentId, self.name), self);
  }

  async #claim(agentId: string, worker: string): Promise<void> {
    const { rng, env } = this.#world;
    const claim = {
      id: worker,
      worker,
      keyId: null,
      tasksMax: rng.between(1, 2),
      leaseSeconds: rng.between(5, 60),
      waitMs: rng.pick([0, 0, 3_000, 20_000]),
    };
    const queue = queueStub(env.QUEUES, agentId);
    try {
      if (rng.oneIn(10)) void this.#giveUpSoon(queue, worker);
      const tasks = (await queue.claim(claim)) ?? [];
      await Promise.all(tasks.map((task) => this.#workOn(task)));
    } catch {
      // The claim failed. If it granted leases, they may expire.
    }
  }

  async #giveUpSoon(queue: ReturnType<typeof queueStub>, claimId: string): Promise<void> {
    await pause(this.#world.rng.below(2_000));
    await queue.cancelClaim(claimId).catch(() => {});
  }

  async #workOn({ taskId, task, lease }: ClaimedTask): Promise<void> {
    const { rng, faultPlan } = this.#world;
    this.#ledger.show(taskId, task);
    this.#ledger.promise(lease.token, lease.expiresAt);
    for (let step = 0; step < 6; step += 1) {
      // The pause usually ends before the lease expires, but sometimes afterwards.
      const restMs = lease.seconds * (rng.oneIn(10) ? 1_500 : 400);
      await pause(rng.below(restMs));
      if (faultPlan.chance(0.05, "worker vanished")) return;
      const mark = this.#ledger.mark(taskId, "report");
      if (!(await this.#report(taskId, lease.token, this.#next(mark, step, task.progress), mark)))
        return;
    }
  }

  /**
   * Sends a report and returns whether the worker continues. If a final report gets no response, it
   * is retried.
   */
  async #report(
    taskId: string,
    token: string,
    report: WorkerReport,
    mark: string,
  ): Promise<boolean> {
    const port = this.#world.port(taskId);
    const isEnd = ["completed", "review", "failed", "blocked", "released"].includes(report.type);
    for (let tries = 0; tries < 4; tries += 1) {
      try {
        this.#world.trace?.(`a worker reports ${report.type} on ${taskId} (${mark})`);
        const result = await port.report(ANYBODY, token, report);
        // If a repeated report is rejected, the first one may still have been applied.
        const isKnown = report.type !== "heartbeat" && (result.ok || tries === 0);
        if (isKnown) this.#ledger.tell(mark, result.ok ? "done" : "rejected");
        if (!result.ok) return result.failure.kind !== "lease_lost";
        const { task, isHeld } = result.value;
        this.#ledger.show(taskId, task);
        if (isHeld && task.lease !== null) this.#ledger.promise(token, task.lease.expiresAt);
        return isHeld;
      } catch {
        if (!isEnd) return true;
        await pause(this.#world.rng.below(3_000));
      }
    }
    return false;
  }

  #next(mark: string, step: number, progress: number): WorkerReport {
    const { rng, faultPlan } = this.#world;
    const type = faultPlan.isOver
      ? rng.pick(["progress", "completed", "completed"])
      : rng.pick([
          "heartbeat",
          "heartbeat",
          "progress",
          "progress",
          "blocked",
          "review",
          "completed",
          "failed",
          "released",
        ]);
    switch (type) {
      case "heartbeat":
        return { type };
      case "progress":
        return { type, progress: progress + 5 + step, phase: null, work: { mark } };
      case "blocked":
        return { type, kind: "input", question: mark, work: null };
      case "review":
      case "completed":
        return { type, result: outcomeOf(mark).result, quality: null };
      case "released":
        return { type, reason: mark, work: null };
      case "failed":
        return { type, message: mark, retryable: true, details: null };
    }
  }
}
