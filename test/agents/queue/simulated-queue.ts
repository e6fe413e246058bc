import type {
  OfferResult,
  StoredQueueEntry,
  QueueRecord,
  QueueStore,
} from "../../../src/agents/queue/queue.store.ts";
import { QueueSlots } from "../../../src/agents/queue/slots.ts";
import type { QueueTerms } from "../../../src/agents/queue/queue.rpc.ts";
import { PRIORITIES } from "../../../src/tasks/model/task.ts";

const MINUTE_MS = 60_000;

/** A task's state according to its own log. */
interface SimulatedTask {
  readonly id: string;
  seq: number;
  place: "none" | "waiting" | "held";
  priority: number;
}

/** A task's update to its queue. It says whether the task waits for a slot. */
interface QueueUpdate {
  readonly task: SimulatedTask;
  readonly seq: number;
  readonly isIn: boolean;
  readonly priority: number;
}

/** A call from the queue to a task, and the task's response. */
interface QueueCall {
  readonly asked: StoredQueueEntry;
  readonly kind: "offer" | "release";
  /** The task whose update awaits the response; null if a claim or an alarm made the call. */
  readonly awaitedBy: SimulatedTask | null;
  answer: OfferResult | null;
}

/** Keeps the rows in memory and counts row writes. */
class InMemoryQueueStore implements QueueStore {
  readonly rows = new Map<string, StoredQueueEntry>();
  #record: QueueRecord | null = null;
  written = 0;
  /** If true, row writes fail, as in an object whose storage is full. */
  isFull = false;

  listEntries() {
    return this.rows.values();
  }
  put(entry: StoredQueueEntry): void {
    this.#failIfFull();
    this.written += 1;
    this.rows.set(entry.taskId, entry);
  }
  remove(taskId: string): void {
    this.#failIfFull();
    this.written += 1;
    this.rows.delete(taskId);
  }
  loadRecord() {
    return this.#record;
  }
  saveRecord(record: QueueRecord): void {
    this.#record = record;
  }
  #failIfFull(): void {
    if (this.isFull) throw new Error("database or disk is full: SQLITE_FULL");
  }
}

/**
 * A queue, its tasks, and a network that delivers messages in any order. If a method simulates one
 * event, `n` selects the task or message.
 */
export class SimulatedQueue {
  readonly store = new InMemoryQueueStore();
  slots: QueueSlots;
  now = Date.UTC(2030, 0, 31, 12);
  readonly tasks: SimulatedTask[];
  updates: QueueUpdate[] = [];
  calls: QueueCall[] = [];
  /** Calls that the queue has given up on. The tasks may still receive them. */
  abandonedCalls: QueueCall[] = [];
  terms: QueueTerms;

  constructor(tasks: number, terms: QueueTerms) {
    this.terms = terms;
    this.tasks = Array.from({ length: tasks }, (_, at) => {
      return { id: `task ${at}`, seq: 1, place: "none", priority: 0 };
    });
    this.slots = new QueueSlots(this.store);
    this.slots.configure("agent", terms, true);
  }

  /**
   * A task starts to wait because it is assigned or continues after an answer, or the priority of a
   * waiting task changes.
   */
  addToQueue(n: number): void {
    const task = this.#task(n);
    if (task.place === "held") return;
    task.seq += 1;
    task.place = "waiting";
    task.priority = n % PRIORITIES.length;
    this.#send(task);
  }

  /**
   * A task stops waiting or working, because it ends, is blocked, is cancelled or returns to
   * pending.
   */
  removeFromQueue(n: number): void {
    this.#leave(this.#task(n));
  }

  /** A task stops waiting and waits again before the queue receives either update. */
  removeAndAdd(n: number): void {
    this.removeFromQueue(n);
    this.addToQueue(n);
  }

  deliver(n: number): void {
    const [update] = takeOne(this.updates, n);
    if (update === undefined) return;
    const { task, seq, isIn } = update;
    const priority = PRIORITIES[update.priority] ?? "medium";
    const entry = { taskId: task.id, seq, priority, deadline: null, since: this.now };
    if (isIn) this.slots.enqueue(entry, this.terms, this.now);
    else this.slots.removeTask(task.id, seq);
    this.#push(task);
  }

  pick(awaitedBy: SimulatedTask | null = null): boolean {
    const asked = this.slots.pickNext(this.now);
    if (asked === null) return false;
    this.#call("offer", asked, awaitedBy);
    return true;
  }

  pickHolder(): boolean {
    const asked = this.slots.pickUnconfirmedHolder(this.now);
    if (asked === null) return false;
    this.#call("offer", asked, null);
    return true;
  }

  pickToRelease(): boolean {
    const asked = this.slots.pickToRelease(this.now);
    if (asked === null) return false;
    this.#call("release", asked, null);
    return true;
  }

  /** A call reaches its task, and the task responds. */
  arrive(n: number): void {
    const open = [...this.calls, ...this.abandonedCalls].filter(({ answer }) => answer === null);
    const call = open[n % Math.max(1, open.length)];
    if (call === undefined) return;
    const task = this.tasks.find(({ id }) => id === call.asked.taskId);
    if (task === undefined) throw new Error("A call to an unknown task");
    call.answer = { kind: "rejected", isWorking: task.place === "held" };
    if (task.place !== "waiting") return;
    if (call.kind === "release") return this.#leave(task);
    task.seq += 1;
    task.place = "held";
    call.answer = { kind: "admitted", seq: task.seq, keyId: null, worker: null };
  }

  /** A task's response reaches the queue. */
  answer(n: number): void {
    const answered = this.calls.filter(({ answer }) => answer !== null);
    const call = answered[n % Math.max(1, answered.length)];
    if (call?.answer) this.#settle(call, call.answer);
  }

  /** The queue gives up waiting for a response. */
  lose(n: number): void {
    const call = this.calls[n % Math.max(1, this.calls.length)];
    if (call === undefined) return;
    this.#settle(call, { kind: "lost" });
    this.abandonedCalls.push(call);
  }

  /**
   * The queue's object crashes. Tasks resend unacknowledged updates, and responses to the queue's
   * calls are lost.
   */
  crash(): void {
    this.slots = new QueueSlots(this.store);
    const unanswered = new Set(this.updates.splice(0).map(({ task }) => task));
    for (const { awaitedBy } of this.calls) {
      // The update that led to the call is resent only if the task still waits.
      if (awaitedBy?.place === "waiting") unanswered.add(awaitedBy);
    }
    this.abandonedCalls.push(...this.calls.splice(0));
    for (const task of unanswered) if (task.place !== "held") this.#send(task);
  }

  configure(limit: number | null, isOpen: boolean): void {
    this.terms = { ...this.terms, limit };
    this.slots.configure("agent", this.terms, isOpen);
  }

  /** Delivers all messages and fills all free slots. */
  settleAll(): void {
    for (let isSettled = false; !isSettled;) {
      while (this.updates.length > 0) this.deliver(this.updates.length - 1);
      while (this.pickToRelease());
      while (this.pick() || this.pickHolder());
      isSettled = this.calls.length === 0 && !this.#hasOpenCalls();
      while (this.#hasOpenCalls()) this.arrive(0);
      while (this.calls.some(({ answer }) => answer !== null)) this.answer(0);
      isSettled &&= this.updates.length === 0 && this.slots.nextAlarmAt(this.now) === null;
      this.now += MINUTE_MS;
    }
  }

  held(): string[] {
    return this.#idsOf("held");
  }

  waiting(): string[] {
    return this.#idsOf("waiting");
  }

  /** Whether the queue's counts match its stored rows, which a new instance would load. */
  countsMatchRows(): boolean {
    const { waiting, running } = this.slots.readCounts();
    return waiting === this.rows(false).length && running === this.rows(true).length;
  }

  rows(isRunning: boolean): string[] {
    const rows = [...this.store.rows.values()].filter((row) => row.isRunning === isRunning);
    return rows.map(({ taskId }) => taskId).toSorted();
  }

  #hasOpenCalls(): boolean {
    return [...this.calls, ...this.abandonedCalls].some(({ answer }) => answer === null);
  }

  #idsOf(place: SimulatedTask["place"]): string[] {
    const ids = this.tasks.filter((task) => task.place === place).map(({ id }) => id);
    return ids.toSorted();
  }

  #task(n: number): SimulatedTask {
    const task = this.tasks[n % this.tasks.length];
    if (task === undefined) throw new Error("There is no task");
    return task;
  }

  #leave(task: SimulatedTask): void {
    if (task.place === "none") return;
    task.seq += 1;
    task.place = "none";
    this.#send(task);
  }

  #send(task: SimulatedTask): void {
    const { seq, priority, place } = task;
    this.updates.push({ task, seq, priority, isIn: place === "waiting" });
  }

  /** A queue that starts tasks itself offers all free slots before the next event. */
  #push(awaitedBy: SimulatedTask | null): void {
    while (!this.terms.isPulled && this.pick(awaitedBy));
  }

  #call(kind: QueueCall["kind"], asked: StoredQueueEntry, awaitedBy: SimulatedTask | null): void {
    if (this.calls.some((one) => one.asked.taskId === asked.taskId)) {
      throw new Error(`${asked.taskId} has two open calls`);
    }
    this.calls.push({ asked, kind, awaitedBy, answer: null });
  }

  #settle(call: QueueCall, answer: OfferResult): void {
    this.calls.splice(this.calls.indexOf(call), 1);
    if (call.kind === "offer") this.slots.recordOffer(call.asked, answer, this.now);
    else this.slots.recordRelease(call.asked, answer.kind !== "lost", this.now);
    this.#push(call.awaitedBy);
  }
}

function takeOne<Item>(from: Item[], n: number): Item[] {
  return from.splice(n % Math.max(1, from.length), 1);
}
