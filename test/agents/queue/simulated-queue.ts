import type {
  OfferResult,
  StoredQueueEntry,
  QueueRecord,
  QueueStore,
} from "../../../src/agents/queue/queue.store.ts";
import { QueueSlots } from "../../../src/agents/queue/slots.ts";
import type { QueueTerms } from "../../../src/agents/queue/queue.rpc.ts";
import { PRIORITIES } from "../../../src/tasks/model/task.ts";

const MINUTE = 60_000;

/** What is true of a task, as its own log has it. */
interface TrueTask {
  readonly id: string;
  seq: number;
  place: "none" | "waiting" | "held";
  priority: number;
}

/** Word of a task to its queue: that it waits, or that it needs no place. */
interface Word {
  readonly task: TrueTask;
  readonly seq: number;
  readonly isIn: boolean;
  readonly priority: number;
}

/** A question of the queue on its way to a task and back. */
interface Question {
  readonly asked: StoredQueueEntry;
  readonly kind: "offer" | "release";
  /** Whose word waits until the question is answered; null where a claim or an alarm asks. */
  readonly awaitedBy: TrueTask | null;
  answer: OfferResult | null;
}

/** Rows as they lie in storage, with a count of what was written. */
class InMemoryQueueStore implements QueueStore {
  readonly rows = new Map<string, StoredQueueEntry>();
  #record: QueueRecord | null = null;
  written = 0;
  /** While true, every write fails, as in an object whose storage is full. */
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
 * A queue with its tasks, and a network between them that delivers in any order. Each method is one
 * thing that may happen; `n` picks to whom.
 */
export class SimulatedQueue {
  readonly shelf = new InMemoryQueueStore();
  places: QueueSlots;
  now = Date.UTC(2030, 0, 31, 12);
  readonly tasks: TrueTask[];
  words: Word[] = [];
  questions: Question[] = [];
  /** Questions whose queue does not listen any more; the tasks may hear them all the same. */
  orphans: Question[] = [];
  terms: QueueTerms;

  constructor(tasks: number, terms: QueueTerms) {
    this.terms = terms;
    this.tasks = Array.from({ length: tasks }, (_, at) => {
      return { id: `task ${at}`, seq: 1, place: "none", priority: 0 };
    });
    this.places = new QueueSlots(this.shelf);
    this.places.configure("agent", terms, true);
  }

  /** It is assigned, comes back from people, or is given another priority. */
  waits(n: number): void {
    const task = this.#task(n);
    if (task.place === "held") return;
    task.seq += 1;
    task.place = "waiting";
    task.priority = n % PRIORITIES.length;
    this.#send(task);
  }

  /** It ends, blocks, is cancelled or goes back to pending. */
  leaves(n: number): void {
    this.#leaves(this.#task(n));
  }

  /** Ends and waits anew before the queue has heard of either, which is what it is told of first. */
  comesBack(n: number): void {
    this.leaves(n);
    this.waits(n);
  }

  deliver(n: number): void {
    const [word] = takeOne(this.words, n);
    if (word === undefined) return;
    const { task, seq, isIn } = word;
    const priority = PRIORITIES[word.priority] ?? "medium";
    const entry = { taskId: task.id, seq, priority, deadline: null, since: this.now };
    if (isIn) this.places.enqueue(entry, this.terms, this.now);
    else this.places.removeTask(task.id, seq);
    this.#push(task);
  }

  pick(awaitedBy: TrueTask | null = null): boolean {
    const asked = this.places.pickNext(this.now);
    if (asked === null) return false;
    this.#ask("offer", asked, awaitedBy);
    return true;
  }

  pickHolder(): boolean {
    const asked = this.places.pickUnconfirmedHolder(this.now);
    if (asked === null) return false;
    this.#ask("offer", asked, null);
    return true;
  }

  pickToRelease(): boolean {
    const asked = this.places.pickToRelease(this.now);
    if (asked === null) return false;
    this.#ask("release", asked, null);
    return true;
  }

  /** A question comes to its task, which answers. */
  arrive(n: number): void {
    const open = [...this.questions, ...this.orphans].filter(({ answer }) => answer === null);
    const question = open[n % Math.max(1, open.length)];
    if (question === undefined) return;
    const task = this.tasks.find(({ id }) => id === question.asked.taskId);
    if (task === undefined) throw new Error("Only tasks are asked");
    question.answer = { kind: "refused", isWorking: task.place === "held" };
    if (task.place !== "waiting") return;
    if (question.kind === "release") return this.#leaves(task);
    task.seq += 1;
    task.place = "held";
    question.answer = { kind: "admitted", seq: task.seq, keyId: null };
  }

  /** An answer comes back to the queue. */
  answer(n: number): void {
    const answered = this.questions.filter(({ answer }) => answer !== null);
    const question = answered[n % Math.max(1, answered.length)];
    if (question?.answer) this.#settle(question, question.answer);
  }

  /** The queue does not wait for an answer any longer. */
  lose(n: number): void {
    const question = this.questions[n % Math.max(1, this.questions.length)];
    if (question === undefined) return;
    this.#settle(question, { kind: "lost" });
    this.orphans.push(question);
  }

  /** The queue's object ends: what was told it in vain is told again, what it asked it does not hear. */
  crash(): void {
    this.places = new QueueSlots(this.shelf);
    const unanswered = new Set(this.words.splice(0).map(({ task }) => task));
    for (const { awaitedBy } of this.questions) {
      // Who has told already that it left does not tell it again.
      if (awaitedBy?.place === "waiting") unanswered.add(awaitedBy);
    }
    this.orphans.push(...this.questions.splice(0));
    for (const task of unanswered) if (task.place !== "held") this.#send(task);
  }

  configure(limit: number | null, isOpen: boolean): void {
    this.terms = { ...this.terms, limit };
    this.places.configure("agent", this.terms, isOpen);
  }

  /** Everything on its way arrives, and everything that can be given out is. */
  rest(): void {
    for (let isQuiet = false; !isQuiet;) {
      while (this.words.length > 0) this.deliver(this.words.length - 1);
      while (this.pickToRelease());
      while (this.pick() || this.pickHolder());
      isQuiet = this.questions.length === 0 && !this.#isAsking();
      while (this.#isAsking()) this.arrive(0);
      while (this.questions.some(({ answer }) => answer !== null)) this.answer(0);
      isQuiet &&= this.words.length === 0 && this.places.nextAlarmAt(this.now) === null;
      this.now += MINUTE;
    }
  }

  held(): string[] {
    return this.#idsOf("held");
  }

  waiting(): string[] {
    return this.#idsOf("waiting");
  }

  /** Whether the queue counts as its rows say: what it would know after it has ended. */
  isAsItsRows(): boolean {
    const { waiting, running } = this.places.readCounts();
    return waiting === this.rows(false).length && running === this.rows(true).length;
  }

  rows(isRunning: boolean): string[] {
    const rows = [...this.shelf.rows.values()].filter((row) => row.isRunning === isRunning);
    return rows.map(({ taskId }) => taskId).toSorted();
  }

  #isAsking(): boolean {
    return [...this.questions, ...this.orphans].some(({ answer }) => answer === null);
  }

  #idsOf(place: TrueTask["place"]): string[] {
    const ids = this.tasks.filter((task) => task.place === place).map(({ id }) => id);
    return ids.toSorted();
  }

  #task(n: number): TrueTask {
    const task = this.tasks[n % this.tasks.length];
    if (task === undefined) throw new Error("There are tasks");
    return task;
  }

  #leaves(task: TrueTask): void {
    if (task.place === "none") return;
    task.seq += 1;
    task.place = "none";
    this.#send(task);
  }

  #send(task: TrueTask): void {
    const { seq, priority, place } = task;
    this.words.push({ task, seq, priority, isIn: place === "waiting" });
  }

  /** A queue that starts tasks itself asks all it can before anything else happens. */
  #push(awaitedBy: TrueTask | null): void {
    while (!this.terms.isPulled && this.pick(awaitedBy));
  }

  #ask(kind: Question["kind"], asked: StoredQueueEntry, awaitedBy: TrueTask | null): void {
    if (this.questions.some((one) => one.asked.taskId === asked.taskId)) {
      throw new Error(`${asked.taskId} is asked twice at once`);
    }
    this.questions.push({ asked, kind, awaitedBy, answer: null });
  }

  #settle(question: Question, answer: OfferResult): void {
    this.questions.splice(this.questions.indexOf(question), 1);
    if (question.kind === "offer") this.places.recordOffer(question.asked, answer, this.now);
    else this.places.recordRelease(question.asked, answer.kind !== "lost", this.now);
    this.#push(question.awaitedBy);
  }
}

function takeOne<Item>(from: Item[], n: number): Item[] {
  return from.splice(n % Math.max(1, from.length), 1);
}
