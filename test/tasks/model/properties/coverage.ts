import type { TaskCommand } from "../../../../src/tasks/model/command.ts";
import { ATTEMPTS_MAX } from "../../../../src/tasks/limits.ts";
import { isActive, slotOf, errorOf } from "../../../../src/tasks/model/task.ts";
import type { RunStep } from "./run-task.ts";

/** The situations that occurred in a set of runs. The runs prove nothing about others. */
export class Coverage {
  runs = 0;
  /** Number of commands in the runs, not counting additional commands tried by properties. */
  issued = 0;
  recorded = 0;
  accepted = 0;
  /** Accepted commands without any effect. */
  withoutEffect = 0;
  rejected = 0;
  /** The highest attempt started by a retry. Attempts after lost leases have a separate limit. */
  retriedMax = 0;
  readonly seen = new Map<string, number>();

  count(step: RunStep): void {
    const { command, decided, events, task, before } = step;
    this.issued += 1;
    this.recorded += events.length;
    const { type } = command;
    if (!decided.ok) {
      this.rejected += 1;
      this.#see(`${type} rejected`);
      this.#see(`rejected: ${decided.failure.kind}`);
      if (decided.failure.kind === "validation") {
        for (const { path } of decided.failure.problems) this.#see(`invalid ${type}: ${path}`);
      }
    } else {
      if (events.length === 0) this.withoutEffect += 1;
      else this.accepted += 1;
      this.#see(`${type} ${events.length === 0 ? "silent" : "accepted"}`);
    }
    for (const event of events) this.#see(`event ${event.type}`);
    this.#see(`status ${task.status}`);
    this.#see(`executor ${task.terms.executor}`);
    if (command.type === "report") {
      const verdict = decided.ok ? `${events.length} events` : decided.failure.kind;
      this.#see(`report ${command.report.type}: ${verdict}`);
    }
    if (before === null) return;
    const error = errorOf(task);
    if (error !== null && errorOf(before) === null) this.#see(`error ${error.code}`);
    this.#moments(step, type, before);
  }

  #moments(
    { task, now, events }: RunStep,
    type: TaskCommand["type"],
    before: RunStep["task"],
  ): void {
    if (task.attempt > before.attempt) {
      this.#see(`another attempt by ${type}`);
      if (type === "retry") this.retriedMax = Math.max(this.retriedMax, task.attempt);
    }
    if (type === "retry" && events.length === 0 && before.attempt === ATTEMPTS_MAX) {
      this.#see("no attempt left");
    }
    if (events.length === 0) return;
    if (type === "update" && task.agentId !== before.agentId) {
      this.#see(`agent changed while ${before.status}`);
    }
    if (type === "admit" && slotOf(task) === "none") this.#see("released on admission");
    if (type === "admit" && before.status === "in_progress" && isActive(task)) {
      this.#see(task.lease === null ? "resumed in a slot" : "resumed by a worker");
    }
    const afterMs = now - before.updatedAt;
    if (afterMs === 0) this.#see("clock stood still");
    if (afterMs > 0 && afterMs < 1_000) this.#see("clock advanced by milliseconds");
    if (afterMs >= 365 * 86_400_000) this.#see("clock advanced by a year or more");
    if (before.deadline !== null && before.deadline <= now) this.#see("clock past the deadline");
    if (before.lease !== null && before.lease.expiresAt <= now) this.#see("clock past the lease");
  }

  #see(what: string): void {
    this.seen.set(what, (this.seen.get(what) ?? 0) + 1);
  }
}
