import { hasQueue } from "../../agents/model/agent.ts";
import { queueStub, queueTermsOf } from "../../agents/queue/queue.rpc.ts";
import { log } from "../../platform/log.ts";
import { withTimeout } from "../../platform/timeout.ts";
import { PROJECTION_TIMEOUT_MS } from "../limits.ts";
import { isStoppedByBudget } from "../model/budget.ts";
import { slotOf } from "../model/slot.ts";
import { isTerminal, type Task } from "../model/task.ts";
import type { OutboxTarget } from "./outbox-target.ts";

/** What queues know of the task: whether it waits there, and whether its budget stopped it. */
interface QueueUpdate {
  readonly agentIds: readonly string[];
  readonly seq: number;
  readonly isIn: boolean;
  readonly isStopped: boolean;
}

/**
 * Notifies the queue of the task's agent that the task waits for a slot or needs none. The queue itself gives
 * out slots, so it knows which tasks have one.
 */
export class QueueTarget implements OutboxTarget {
  readonly #queues: Env["QUEUES"];
  readonly #taskId: string;
  /** The last update that this instance has sent; null in a new instance, which sends it again. */
  #published: QueueUpdate | null = null;

  constructor(queues: Env["QUEUES"], taskId: string) {
    this.#queues = queues;
    this.#taskId = taskId;
  }

  isBehind(task: Task): boolean {
    return this.#pendingUpdate(task) !== null;
  }

  async publish(task: Task): Promise<void> {
    const update = this.#pendingUpdate(task);
    if (update === null) return;
    // From here on the queue may have the task: whatever is published next must remove it first (`seq` 0).
    if (update.isIn) this.#published = { ...update, seq: 0 };
    const before = this.#published;
    try {
      await withTimeout(PROJECTION_TIMEOUT_MS, this.#send(task, update));
      // During the call, a newer update may have been published.
      if (this.#published === before || isOutdated(this.#published, update)) {
        this.#published = update;
      }
    } catch (error) {
      log.warn("queue_notify_failed", { taskId: this.#taskId, seq: update.seq, error });
    }
  }

  async publishOrThrow(task: Task): Promise<void> {
    await this.publish(task);
    if (this.isBehind(task)) throw new Error("The agent's queue does not respond");
  }

  #pendingUpdate(task: Task): QueueUpdate | null {
    const slot = slotOf(task);
    const published = this.#published;
    const seq = task.queueVersion;
    if (slot === "active") return null;
    if (slot === "queued") {
      const isKnown = published?.isIn === true && published.seq >= seq;
      return isKnown || task.agentId === null
        ? null
        : { agentIds: [task.agentId], seq, isIn: true, isStopped: false };
    }
    const isStopped = isStoppedByBudget(task);
    if (published !== null) {
      const isKnown = !published.isIn && published.isStopped === isStopped;
      return isKnown ? null : { ...published, seq, isIn: false, isStopped };
    }
    const agentIds = mayBeQueued(task) ? listEarlierAgents(task) : [];
    return agentIds.length === 0 ? null : { agentIds, seq, isIn: false, isStopped };
  }

  async #send(task: Task, { agentIds, seq, isIn, isStopped }: QueueUpdate): Promise<void> {
    const { priority, deadline, createdAt: since, terms } = task;
    const entry = { taskId: this.#taskId, seq, priority, deadline, since };
    const calls = agentIds.map((agentId) => {
      const queue = queueStub(this.#queues, agentId);
      if (isIn) return queue.enqueue(agentId, entry, queueTermsOf(terms));
      return queue.remove(this.#taskId, seq, isStopped && agentId === task.agentId);
    });
    await Promise.all(calls);
  }
}

/** An update that a queue may not have received (`seq` 0) is not outdated: it must be taken back first. */
function isOutdated(published: QueueUpdate | null, by: QueueUpdate): boolean {
  return published !== null && published.seq > 0 && published.seq < by.seq;
}

/**
 * The agents whose queues may have the task. Work starts only after the queues of earlier attempts have
 * removed it; until then, and while the task is pending, they may have it.
 */
function listEarlierAgents({ status, agentId, startedAt, attempts }: Task): string[] {
  const earlier = startedAt === null ? attempts.map((attempt) => attempt.agentId) : [];
  const all = status === "pending" ? earlier : [...earlier, agentId];
  return [...new Set(all)].filter((id) => id !== null);
}

/** Whether a queue may have the task although the task does not wait there. */
function mayBeQueued(task: Task): boolean {
  if (!hasQueue(task.terms)) return false;
  const { status } = task;
  const isOut = status === "blocked" || status === "review" || isTerminal(status);
  return isOut || (status === "pending" && task.attempts.length > 0);
}
