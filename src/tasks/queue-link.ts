import { queueOf, queueTermsIn } from "../agents/queue/port.ts";
import { hasQueue } from "../domain/agent.ts";
import { PROJECTION_WAIT_MS } from "../domain/limits.ts";
import { placeOf } from "../domain/place.ts";
import { isTerminal, type Task } from "../domain/task.ts";
import { within } from "../clock/within.ts";

/** What a queue was last told of the task. */
interface Told {
  readonly agentId: string;
  readonly seq: number;
  readonly isIn: boolean;
}

/**
 * Keeps the queue of the task's agent up with the task: that it waits there, that it needs no place.
 * That it has got a place the queue knows, as it gave it.
 */
export class QueueLink {
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
    const before = this.#told;
    try {
      await within(PROJECTION_WAIT_MS, this.#tell(task, owed));
      // While the queue was told, the task may have moved on, and have told it so.
      if (this.#told === before) this.#told = owed;
    } catch (fault) {
      // It may have been told all the same: what is told next must take that back.
      if (owed.isIn) this.#told = { ...owed, seq: 0 };
      console.warn({ event: "queue_behind", taskId: this.#taskId, seq: owed.seq, fault });
    }
  }

  /** The same, for when nothing may go on before the queue knows. */
  async mustHear(task: Task): Promise<void> {
    await this.publish(task);
    if (this.isBehind(task)) throw new Error("The agent's queue does not answer");
  }

  #owed(task: Task): Told | null {
    const place = placeOf(task);
    const agentId = task.agentId ?? task.attempts.at(-1)?.agentId ?? this.#told?.agentId ?? null;
    if (agentId === null || place === "held") return null;
    const owed: Told = { agentId, seq: task.placedSeq, isIn: place === "waiting" };
    const told = this.#told;
    if (owed.isIn) return told?.isIn === true && told.seq >= owed.seq ? null : owed;
    if (told !== null) return told.isIn ? { ...owed, agentId: told.agentId } : null;
    return mayBeIn(task) ? owed : null;
  }

  async #tell(task: Task, { agentId, seq, isIn }: Told): Promise<void> {
    const queue = queueOf(this.#queues, agentId);
    if (!isIn) return queue.leave(this.#taskId, seq);
    const { priority, deadline, createdAt: since, terms } = task;
    const entry = { taskId: this.#taskId, seq, priority, deadline, since };
    await queue.enter(entry, queueTermsIn(terms));
  }
}

/** Whether a queue may believe that it has the task, although it has not. */
function mayBeIn(task: Task): boolean {
  if (!hasQueue(task.terms)) return false;
  const { status } = task;
  const isOut = status === "blocked" || status === "review" || isTerminal(status);
  return isOut || (status === "pending" && task.attempts.length > 0);
}
