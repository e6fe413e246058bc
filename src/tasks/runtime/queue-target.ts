import { queueStub, queueTermsOf } from "../../agents/queue/queue.rpc.ts";
import { hasQueue } from "../../agents/model/agent.ts";
import { isStoppedByBudget } from "../model/budget.ts";
import { PROJECTION_TIMEOUT_MS } from "../limits.ts";
import { slotOf } from "../model/slot.ts";
import { isTerminal, type Task } from "../model/task.ts";
import { withTimeout } from "../../platform/timeout.ts";
import { log } from "../../platform/log.ts";

/** The last update sent to agents' queues: whether the task waits in a queue, and whether its budget stopped it. */
interface Told {
  readonly agentIds: readonly string[];
  readonly seq: number;
  readonly isIn: boolean;
  readonly isStopped: boolean;
}

/**
 * Keeps the queue of the task's agent up with the task: that it waits there, that it needs no place.
 * That it has got a place the queue knows, as it gave it.
 */
export class QueueTarget {
  readonly #queues: Env["QUEUES"];
  readonly #taskId: string;
  /** As this instance knows; a new instance knows of nothing, and tells again. */
  #told: Told | null = null;

  constructor(queues: Env["QUEUES"], taskId: string) {
    this.#queues = queues;
    this.#taskId = taskId;
  }

  isBehind(task: Task): boolean {
    return this.#owed(task) !== null;
  }

  /** Tells the queue what it should know; when it does not answer it is told again by the alarm. */
  async publish(task: Task): Promise<void> {
    const owed = this.#owed(task);
    if (owed === null) return;
    // From here on it may have been told, heard of or not: what is told next must take that back.
    if (owed.isIn) this.#told = { ...owed, seq: 0 };
    const meanwhile = this.#told;
    try {
      await withTimeout(PROJECTION_TIMEOUT_MS, this.#tell(task, owed));
      // While the queue was told, the task may have moved on, and have told it so: what is newer holds.
      if (this.#told === meanwhile || isOutdated(this.#told, owed)) this.#told = owed;
    } catch (fault) {
      log.warn("queue_notify_failed", { taskId: this.#taskId, seq: owed.seq, error: fault });
    }
  }

  /** The same, for when nothing may go on before the queue knows. */
  async publishOrThrow(task: Task): Promise<void> {
    await this.publish(task);
    if (this.isBehind(task)) throw new Error("The agent's queue does not answer");
  }

  #owed(task: Task): Told | null {
    const place = slotOf(task);
    const told = this.#told;
    const seq = task.queueVersion;
    if (place === "active") return null;
    if (place === "queued") {
      const isKnown = told?.isIn === true && told.seq >= seq;
      return isKnown || task.agentId === null
        ? null
        : { agentIds: [task.agentId], seq, isIn: true, isStopped: false };
    }
    const isStopped = isStoppedByBudget(task);
    if (told !== null) {
      const isKnown = !told.isIn && told.isStopped === isStopped;
      return isKnown ? null : { ...told, seq, isIn: false, isStopped };
    }
    const agentIds = mayBeIn(task) ? agentsSoFar(task) : [];
    return agentIds.length === 0 ? null : { agentIds, seq, isIn: false, isStopped };
  }

  async #tell(task: Task, { agentIds, seq, isIn, isStopped }: Told): Promise<void> {
    const { priority, deadline, createdAt: since, terms } = task;
    const entry = { taskId: this.#taskId, seq, priority, deadline, since };
    const calls = agentIds.map((agentId) => {
      const queue = queueStub(this.#queues, agentId);
      if (isIn) return queue.enqueue(entry, queueTermsOf(terms));
      return queue.remove(this.#taskId, seq, isStopped && agentId === task.agentId);
    });
    await Promise.all(calls);
  }
}

/** What may have been told in vain (`seq` 0) is first taken back. */
function isOutdated(told: Told | null, by: Told): boolean {
  return told !== null && told.seq > 0 && told.seq < by.seq;
}

/**
 * The agents in whose queues the task may be. Work begins only once those of earlier attempts know that
 * it has left them; until then, and while it is pending, they may not.
 */
function agentsSoFar({ status, agentId, startedAt, attempts }: Task): string[] {
  const earlier = startedAt === null ? attempts.map((attempt) => attempt.agentId) : [];
  const all = status === "pending" ? earlier : [...earlier, agentId];
  return [...new Set(all)].filter((id) => id !== null);
}

/** Whether a queue may believe that it has the task, although it has not. */
function mayBeIn(task: Task): boolean {
  if (!hasQueue(task.terms)) return false;
  const { status } = task;
  const isOut = status === "blocked" || status === "review" || isTerminal(status);
  return isOut || (status === "pending" && task.attempts.length > 0);
}
