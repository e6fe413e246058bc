import { DurableObject } from "cloudflare:workers";
import { database } from "../../db/client.ts";
import { reasonOf } from "../../db/reason.ts";
import {
  CLAIM_TASKS_MAX,
  KEY_CHECK_WAIT_MS,
  LEASE_KEY_CHECK_MS,
  OFFERS_A_CALL_MAX,
  OFFERS_AT_ONCE_MAX,
  STORE_WAIT_MS,
} from "../../domain/limits.ts";
import type { QueueEntry } from "../../domain/queue.ts";
import type { Admission } from "../../tasks/port.ts";
import { WakeUp } from "../../clock/wake-up.ts";
import { within } from "../../clock/within.ts";
import { endedKeys } from "../../keys/store.ts";
import { settleQueue } from "../settle.ts";
import { Haul, type Taker } from "./haul.ts";
import { Line, type Visitor } from "./line.ts";
import { endLease, offerPlace, release } from "./offer.ts";
import { OverBudgetTasks } from "./over-budget.ts";
import type { OfferAnswer, Placed } from "./placed.ts";
import { Places } from "./places.ts";
import type {
  CallerTasks,
  Claim,
  ClaimedTask,
  OutdatedStop,
  QueueObjectPort,
  QueueStanding,
  QueueTerms,
} from "./port.ts";
import { QueueRows } from "./rows.ts";

/** Tasks that start by themselves are nobody's to take. */
const NOBODY: Taker = {
  wanted: OFFERS_A_CALL_MAX,
  keyId: null,
  grant: () => null,
  takesMore: () => true,
  take: () => {},
};

/**
 * One object an agent: the shell around its places. Who frees a place or brings a task waits until the
 * place is given, so that after a crash its call has failed, and is made again; no alarm is needed.
 */
export class AgentQueue extends DurableObject<Env> implements QueueObjectPort {
  readonly #places: Places;
  readonly #overBudget: OverBudgetTasks;
  readonly #wakeUp: WakeUp;
  readonly #line = new Line();
  readonly #visitors = new Map<string, Visitor>();
  /** Tasks that are being asked, with the end of that. */
  readonly #asking = new Map<string, Promise<unknown>>();
  /** When the keys of leases were last checked; a new instance checks at once. */
  #keysCheckedAt = -Infinity;

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env);
    this.#places = new Places(new QueueRows(ctx.storage));
    this.#overBudget = new OverBudgetTasks(ctx.storage.kv);
    this.#wakeUp = new WakeUp(ctx.storage);
    void ctx.blockConcurrencyWhile(() => this.#wakeUp.recall());
  }

  async enter(
    agentId: string,
    entry: Omit<QueueEntry, "isRunning">,
    terms: QueueTerms,
  ): Promise<void> {
    // Later terms are told by `configure`: a task knows only those that held when it was assigned.
    if (this.#places.record === null) this.#places.configure(agentId, terms, true);
    this.#places.enter(entry, terms, Date.now());
    this.#overBudget.remove(entry.taskId, entry.seq);
    // Who says it again while it is asked must not be told that all is well: a crash forgets the asking.
    await this.#asking.get(entry.taskId);
    await this.#goOn();
  }

  async leave(taskId: string, seq: number, isOverBudget = false): Promise<void> {
    this.#places.leave(taskId, seq);
    if (isOverBudget) this.#overBudget.add(taskId, seq);
    else this.#overBudget.remove(taskId, seq);
    await this.#goOn();
  }

  async claim(claim: Claim): Promise<readonly ClaimedTask[] | null> {
    const visitor = this.#line.join(claim.waitMs);
    this.#visitors.set(claim.id, visitor);
    try {
      while (!visitor.hasGivenUp) {
        if (!this.#isClaimable()) return null;
        const haul = new Haul(claim, visitor);
        await this.#offer(haul);
        const tasks = haul.tasks();
        if (tasks.length > 0) return tasks;
        // From here to the line nothing is awaited: a task that comes meets one who stands in it.
        if (this.#isClaimable() && this.#places.canPick(Date.now())) continue;
        if (!(await visitor.turn())) break;
      }
      return [];
    } finally {
      this.#visitors.delete(claim.id);
      visitor.leave();
      this.#callNext();
      this.#arm();
    }
  }

  async giveUp(claimId: string): Promise<void> {
    this.#visitors.get(claimId)?.giveUp();
  }

  async configure(agentId: string, terms: QueueTerms, isOpen: boolean): Promise<void> {
    this.#places.configure(agentId, terms, isOpen);
    this.#line.callAll();
    // Who changes an agent does not wait for all its tasks.
    if (this.#isPushing() && this.#places.canPick(Date.now())) this.#wakeUp.set(Date.now());
    this.#arm();
  }

  async standing(): Promise<QueueStanding> {
    return this.#places.standing();
  }

  async tasksOfCaller(keyId: string): Promise<CallerTasks> {
    const claimed = this.#places.claimedTaskIds(keyId).slice(0, CLAIM_TASKS_MAX);
    return { claimed, overBudget: this.#overBudget.page() };
  }

  async forgetOverBudget(outdated: readonly OutdatedStop[]): Promise<readonly string[]> {
    for (const { taskId, seq } of outdated) this.#overBudget.remove(taskId, seq);
    return this.#overBudget.page();
  }

  override async alarm(): Promise<void> {
    this.#wakeUp.fired();
    await this.#endLeases();
    await this.#makeSure();
    await this.#release();
    await this.#goOn();
  }

  /** Gives out what can be given out: to the tasks themselves, or to the next who waits for one. */
  async #goOn(): Promise<void> {
    try {
      if (!this.#isPushing()) return this.#callNext();
      await this.#offer(NOBODY);
      if (this.#places.canPick(Date.now())) this.#wakeUp.set(Date.now());
    } finally {
      this.#arm();
    }
  }

  /** Fills places for a taker, some at a time. */
  async #offer(taker: Taker): Promise<void> {
    const askedMax = taker.wanted + OFFERS_A_CALL_MAX;
    let left = taker.wanted;
    let asked = 0;
    let asking = 0;
    let mayAskHolder = true;
    const offerOn = async (): Promise<void> => {
      while (left > 0 && asked < askedMax && taker.takesMore(asking)) {
        let entry = this.#places.pick(Date.now());
        if (entry === null && mayAskHolder) {
          mayAskHolder = false;
          entry = this.#places.pickHolder(Date.now());
        }
        if (entry === null) return;
        const place = asked;
        left -= 1;
        asked += 1;
        asking += 1;
        const admission = await this.#offerTo(entry, taker);
        asking -= 1;
        if (admission?.admitted === true) taker.take(place, entry.taskId, admission);
        else left += 1;
      }
    };
    await Promise.all(Array.from({ length: OFFERS_AT_ONCE_MAX }, offerOn));
  }

  async #offerTo(entry: Placed, taker: Taker): Promise<Admission | null> {
    const asked = this.#ask(entry, taker);
    this.#asking.set(entry.taskId, asked);
    try {
      return await asked;
    } finally {
      // Meanwhile it may be asked once more.
      if (this.#asking.get(entry.taskId) === asked) this.#asking.delete(entry.taskId);
    }
  }

  async #ask(entry: Placed, taker: Taker): Promise<Admission | null> {
    const { agentId } = this.#record();
    const admission = await offerPlace(this.env, agentId, entry.taskId, taker.grant());
    // The first lease starts the check interval.
    if (!this.#places.hasLeases) this.#keysCheckedAt = Date.now();
    this.#places.settle(entry, answerOf(admission, taker), Date.now());
    // Set together with the row that names the key, so that a crash cannot separate them.
    if (taker.keyId !== null) this.#arm();
    return admission;
  }

  /** Ends the leases of keys that have ended. If D1 does not answer, no key counts as ended. */
  async #endLeases(): Promise<void> {
    const dueAt = this.#keysDueAt();
    if (dueAt === null || dueAt > Date.now()) return;
    this.#keysCheckedAt = Date.now();
    const ended = await this.#endedKeys();
    if (ended.size === 0) return;
    let left = OFFERS_A_CALL_MAX;
    const endOn = async (): Promise<void> => {
      while (left > 0) {
        const lease = this.#places.pickLease(ended, Date.now());
        if (lease === null) return;
        left -= 1;
        const isHeard = await endLease(this.env, lease.taskId, lease.keyId);
        this.#places.settleLease(lease, isHeard, Date.now());
      }
    };
    await Promise.all(Array.from({ length: OFFERS_AT_ONCE_MAX }, endOn));
    // The next alarm ends the rest.
    if (left === 0) this.#keysCheckedAt = -Infinity;
  }

  async #endedKeys(): Promise<ReadonlySet<string>> {
    try {
      const looked = endedKeys(database(this.env.DB), this.#places.leaseKeys(), Date.now());
      return new Set(await within(KEY_CHECK_WAIT_MS, looked));
    } catch (error) {
      const { agentId } = this.#record();
      console.warn({ event: "lease_keys_not_checked", agentId, reason: reasonOf(error) });
      return new Set();
    }
  }

  #keysDueAt(): number | null {
    return this.#places.hasLeases ? this.#keysCheckedAt + LEASE_KEY_CHECK_MS : null;
  }

  /** Asks the registry before it sends tasks away that by its own knowledge should not have come. */
  async #makeSure(): Promise<void> {
    if (!this.#places.isInDoubt(Date.now())) return;
    const { agentId, terms } = this.#record();
    try {
      await within(STORE_WAIT_MS, settleQueue(this.env, agentId, terms));
    } catch (fault) {
      console.warn({ event: "queue_unsettled", agentId, fault });
    }
  }

  /** Gives back who is to go; the alarm is repeated until nobody is left. */
  async #release(): Promise<void> {
    let left = OFFERS_A_CALL_MAX;
    const releaseOn = async (): Promise<void> => {
      while (left > 0) {
        const entry = this.#places.pickToRelease(Date.now());
        if (entry === null) return;
        left -= 1;
        const isReleased = await release(this.env, this.#record().agentId, entry.taskId);
        this.#places.settleRelease(entry, isReleased, Date.now());
      }
    };
    await Promise.all(Array.from({ length: OFFERS_AT_ONCE_MAX }, releaseOn));
  }

  #callNext(): void {
    if (this.#places.canPick(Date.now())) this.#line.callNext();
  }

  #arm(): void {
    const now = Date.now();
    for (const dueAt of [this.#places.dueAt(now), this.#keysDueAt()]) {
      if (dueAt !== null) this.#wakeUp.set(Math.max(dueAt, now));
    }
  }

  /** Whether the queue itself starts tasks. */
  #isPushing(): boolean {
    return this.#places.record?.terms.isPulled === false;
  }

  /** A queue that nobody has told of its terms yet may turn out to be one that can be claimed from. */
  #isClaimable(): boolean {
    const record = this.#places.record;
    return record === null || (record.isOpen && record.terms.isPulled);
  }

  #record() {
    const { record } = this.#places;
    if (record === null) throw new Error("A queue that holds tasks must know whose it is");
    return record;
  }
}

function answerOf(admission: Admission | null, { keyId }: Taker): OfferAnswer {
  if (admission === null) return { kind: "lost" };
  if (!admission.admitted) return { kind: "refused", isWorking: admission.isWorking };
  return { kind: "admitted", seq: admission.task.seq, keyId };
}
