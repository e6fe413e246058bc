import { queueStub, queueTermsOf } from "../../agents/queue/queue.rpc.ts";
import { log } from "../../platform/log.ts";
import { withTimeout } from "../../platform/promises.ts";
import { OUTBOX_TIMEOUT_MS } from "../limits.ts";
import { pendingQueueUpdate, type QueueUpdate } from "../model/queue-update.ts";
import type { Task } from "../model/task.ts";

/** Keeps the agent's queue up to date on whether the task is waiting for a slot. The queue assigns the slots. */
export class QueueTarget {
  readonly #queues: Env["QUEUES"];
  readonly #taskId: string;
  /** The last update that this instance sent; null in a new instance, which sends the update again. */
  #published: QueueUpdate | null = null;

  constructor(queues: Env["QUEUES"], taskId: string) {
    this.#queues = queues;
    this.#taskId = taskId;
  }

  isBehind(task: Task): boolean {
    return pendingQueueUpdate(task, this.#published) !== null;
  }

  async publish(task: Task): Promise<void> {
    const update = pendingQueueUpdate(task, this.#published);
    if (update === null) return;
    // From now on, the queue may contain the task even if the call fails. `seq` 0 marks the update as unconfirmed.
    if (update.isIn) this.#published = { ...update, seq: 0 };
    const before = this.#published;
    try {
      await withTimeout(OUTBOX_TIMEOUT_MS, this.#send(task, update));
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
    if (this.isBehind(task)) throw new Error("The agent's queue is not responding");
  }

  async #send(task: Task, { agentIds, seq, isIn, overBudget }: QueueUpdate): Promise<void> {
    const { priority, deadline, createdAt: since } = task;
    const entry = { taskId: this.#taskId, seq, priority, deadline, since };
    const terms = { ...queueTermsOf(task.terms), ...(task.isHeld ? { isPaused: true } : {}) };
    const calls = agentIds.map((agentId) => {
      const queue = queueStub(this.#queues, agentId);
      if (isIn) return queue.enqueue(agentId, entry, terms);
      return queue.remove(this.#taskId, seq, overBudget && agentId === task.agentId);
    });
    await Promise.all(calls);
  }
}

/**
 * Whether a newer update makes the published one obsolete. An unconfirmed update (`seq` 0) is not obsolete, because the
 * task may still have to be removed from that queue.
 */
function isOutdated(published: QueueUpdate | null, by: QueueUpdate): boolean {
  return published !== null && published.seq > 0 && published.seq < by.seq;
}
