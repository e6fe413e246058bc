import { DurableObject } from "cloudflare:workers";
import { redactDatabaseError } from "../../platform/d1/client.ts";
import {
  CLAIM_TASKS_MAX,
  LEASE_KEY_CHECK_MS,
  OFFERS_PER_RUN_MAX,
  OFFERS_AT_ONCE_MAX,
} from "../limits.ts";
import { KEY_CHECK_TIMEOUT_MS } from "../../keys/limits.ts";
import { STORE_TIMEOUT_MS } from "../../platform/limits.ts";
import type { QueueEntry } from "../model/queue-entry.ts";
import type { SlotOffer } from "../../tasks/task.rpc.ts";
import { ObjectAlarm } from "../../platform/alarm.ts";
import { withTimeout } from "../../platform/timeout.ts";
import { findEndedKeys } from "../../keys/authenticate.ts";
import { syncQueue } from "./sync-queue.ts";
import { ClaimBatch, type OfferRecipient } from "./claim-batch.ts";
import { WaitQueue, type Waiter } from "./wait-queue.ts";
import { endTaskLease, offerSlot, releaseTask } from "./task-calls.ts";
import {
  type OfferResult,
  OverBudgetTasks,
  SqlQueueStore,
  type StoredQueueEntry,
} from "./queue.store.ts";
import { QueueSlots } from "./slots.ts";
import type {
  CallerTasks,
  ClaimRequest,
  ClaimedTask,
  StaleBudgetStop,
  QueueObjectRpc,
  QueueCounts,
  QueueTerms,
} from "./queue.rpc.ts";
import { log } from "../../platform/log.ts";
import { acceptRequestIds } from "../../platform/request-id.ts";

/** Tasks that start by themselves are nobody's to take. */
const SELF_STARTED: OfferRecipient = {
  tasksMax: OFFERS_PER_RUN_MAX,
  keyId: null,
  createGrant: () => null,
  canTakeMore: () => true,
  add: () => {},
};

/**
 * One object an agent: the shell around its places. Who frees a place or brings a task waits until the
 * place is given, so that after a crash its call has failed, and is made again; no alarm is needed.
 */
export class AgentQueue extends DurableObject<Env> implements QueueObjectRpc {
  static {
    acceptRequestIds(this, (object) => object.#alarm.requestId);
  }

  readonly #slots: QueueSlots;
  readonly #overBudget: OverBudgetTasks;
  readonly #alarm: ObjectAlarm;
  readonly #waitQueue = new WaitQueue();
  readonly #waiters = new Map<string, Waiter>();
  /** Tasks that are being asked, with the end of that. */
  readonly #openOffers = new Map<string, Promise<unknown>>();
  /** When the keys of leases were last checked; a new instance checks at once. */
  #keysCheckedAt = -Infinity;

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env);
    this.#slots = new QueueSlots(new SqlQueueStore(ctx.storage));
    this.#overBudget = new OverBudgetTasks(ctx.storage.kv);
    this.#alarm = new ObjectAlarm(ctx.storage);
    void ctx.blockConcurrencyWhile(() => this.#alarm.load());
  }

  async enqueue(
    agentId: string,
    entry: Omit<QueueEntry, "isRunning">,
    terms: QueueTerms,
  ): Promise<void> {
    // Later terms are told by `configure`: a task knows only those that held when it was assigned.
    if (this.#slots.record === null) this.#slots.configure(agentId, terms, true);
    this.#slots.enqueue(entry, terms, Date.now());
    this.#overBudget.remove(entry.taskId, entry.seq);
    // Who says it again while it is asked must not be told that all is well: a crash forgets the asking.
    await this.#openOffers.get(entry.taskId);
    await this.#dispatch();
  }

  async remove(taskId: string, seq: number, isOverBudget = false): Promise<void> {
    this.#slots.removeTask(taskId, seq);
    if (isOverBudget) this.#overBudget.add(taskId, seq);
    else this.#overBudget.remove(taskId, seq);
    await this.#dispatch();
  }

  async claim(claim: ClaimRequest): Promise<readonly ClaimedTask[] | null> {
    const waiter = this.#waitQueue.createWaiter(claim.waitMs);
    this.#waiters.set(claim.id, waiter);
    try {
      while (!waiter.isCancelled) {
        if (!this.#isClaimable()) return null;
        const batch = new ClaimBatch(claim, waiter);
        await this.#offerSlots(batch);
        const tasks = batch.listTasks();
        if (tasks.length > 0) return tasks;
        // From here to the line nothing is awaited: a task that comes meets one who stands in it.
        if (this.#isClaimable() && this.#slots.canPick(Date.now())) continue;
        if (!(await waiter.wait())) break;
      }
      return [];
    } finally {
      this.#waiters.delete(claim.id);
      waiter.close();
      this.#wakeNextClaim();
      this.#setAlarm();
    }
  }

  async cancelClaim(claimId: string): Promise<void> {
    this.#waiters.get(claimId)?.cancel();
  }

  async configure(agentId: string, terms: QueueTerms, isOpen: boolean): Promise<void> {
    this.#slots.configure(agentId, terms, isOpen);
    this.#waitQueue.wakeAll();
    // Who changes an agent does not wait for all its tasks.
    if (this.#startsTasks() && this.#slots.canPick(Date.now())) this.#alarm.set(Date.now());
    this.#setAlarm();
  }

  async readCounts(): Promise<QueueCounts> {
    return this.#slots.readCounts();
  }

  async listCallerTasks(keyId: string): Promise<CallerTasks> {
    const claimed = this.#slots.listClaimedTaskIds(keyId).slice(0, CLAIM_TASKS_MAX);
    return { claimed, overBudget: this.#overBudget.listPage() };
  }

  async removeBudgetStops(outdated: readonly StaleBudgetStop[]): Promise<readonly string[]> {
    for (const { taskId, seq } of outdated) this.#overBudget.remove(taskId, seq);
    return this.#overBudget.listPage();
  }

  override async alarm(): Promise<void> {
    this.#alarm.markFired();
    await this.#endLeases();
    await this.#resyncIfStale();
    await this.#releaseTasks();
    await this.#dispatch();
  }

  /** Gives out what can be given out: to the tasks themselves, or to the next who waits for one. */
  async #dispatch(): Promise<void> {
    try {
      if (!this.#startsTasks()) return this.#wakeNextClaim();
      await this.#offerSlots(SELF_STARTED);
      if (this.#slots.canPick(Date.now())) this.#alarm.set(Date.now());
    } finally {
      this.#setAlarm();
    }
  }

  /** Fills places for a taker, some at a time. */
  async #offerSlots(taker: OfferRecipient): Promise<void> {
    const offersMax = taker.tasksMax + OFFERS_PER_RUN_MAX;
    let left = taker.tasksMax;
    let asked = 0;
    let asking = 0;
    let mayAskHolder = true;
    const offerNext = async (): Promise<void> => {
      while (left > 0 && asked < offersMax && taker.canTakeMore(asking)) {
        let entry = this.#slots.pickNext(Date.now());
        if (entry === null && mayAskHolder) {
          mayAskHolder = false;
          entry = this.#slots.pickUnconfirmedHolder(Date.now());
        }
        if (entry === null) return;
        const place = asked;
        left -= 1;
        asked += 1;
        asking += 1;
        const admission = await this.#offerSlotTo(entry, taker);
        asking -= 1;
        if (admission?.admitted === true) taker.add(place, entry.taskId, admission);
        else left += 1;
      }
    };
    await Promise.all(Array.from({ length: OFFERS_AT_ONCE_MAX }, offerNext));
  }

  async #offerSlotTo(entry: StoredQueueEntry, taker: OfferRecipient): Promise<SlotOffer | null> {
    const asked = this.#sendOffer(entry, taker);
    this.#openOffers.set(entry.taskId, asked);
    try {
      return await asked;
    } finally {
      // Meanwhile it may be asked once more.
      if (this.#openOffers.get(entry.taskId) === asked) this.#openOffers.delete(entry.taskId);
    }
  }

  async #sendOffer(entry: StoredQueueEntry, taker: OfferRecipient): Promise<SlotOffer | null> {
    const { agentId } = this.#requireRecord();
    const admission = await offerSlot(this.env, agentId, entry.taskId, taker.createGrant());
    // The first lease starts the check interval.
    if (!this.#slots.hasLeases) this.#keysCheckedAt = Date.now();
    this.#slots.recordOffer(entry, toOfferResult(admission, taker), Date.now());
    // Set together with the row that names the key, so that a crash cannot separate them.
    if (taker.keyId !== null) this.#setAlarm();
    return admission;
  }

  /** Ends the leases of keys that have ended. If D1 does not answer, no key counts as ended. */
  async #endLeases(): Promise<void> {
    const dueAt = this.#keyCheckDueAt();
    if (dueAt === null || dueAt > Date.now()) return;
    this.#keysCheckedAt = Date.now();
    const ended = await this.#endedKeys();
    if (ended.size === 0) return;
    let left = OFFERS_PER_RUN_MAX;
    const endNext = async (): Promise<void> => {
      while (left > 0) {
        const lease = this.#slots.pickLeaseToEnd(ended, Date.now());
        if (lease === null) return;
        left -= 1;
        const isHeard = await endTaskLease(this.env, lease.taskId, lease.keyId);
        this.#slots.recordLeaseEnd(lease, isHeard, Date.now());
      }
    };
    await Promise.all(Array.from({ length: OFFERS_AT_ONCE_MAX }, endNext));
    // The next alarm ends the rest.
    if (left === 0) this.#keysCheckedAt = -Infinity;
  }

  async #endedKeys(): Promise<ReadonlySet<string>> {
    try {
      const looked = findEndedKeys(this.env, this.#slots.listLeaseKeys());
      return new Set(await withTimeout(KEY_CHECK_TIMEOUT_MS, looked));
    } catch (error) {
      const { agentId } = this.#requireRecord();
      log.warn("lease_keys_check_failed", { agentId, error: redactDatabaseError(error) });
      return new Set();
    }
  }

  #keyCheckDueAt(): number | null {
    return this.#slots.hasLeases ? this.#keysCheckedAt + LEASE_KEY_CHECK_MS : null;
  }

  /** Asks the registry before it sends tasks away that by its own knowledge should not have come. */
  async #resyncIfStale(): Promise<void> {
    if (!this.#slots.hasStaleEntries(Date.now())) return;
    const { agentId, terms } = this.#requireRecord();
    try {
      await withTimeout(STORE_TIMEOUT_MS, syncQueue(this.env, agentId, terms));
    } catch (fault) {
      log.warn("queue_sync_failed", { agentId, error: fault });
    }
  }

  /** Gives back who is to go; the alarm is repeated until nobody is left. */
  async #releaseTasks(): Promise<void> {
    let left = OFFERS_PER_RUN_MAX;
    const releaseNext = async (): Promise<void> => {
      while (left > 0) {
        const entry = this.#slots.pickToRelease(Date.now());
        if (entry === null) return;
        left -= 1;
        const isReleased = await releaseTask(this.env, this.#requireRecord().agentId, entry.taskId);
        this.#slots.recordRelease(entry, isReleased, Date.now());
      }
    };
    await Promise.all(Array.from({ length: OFFERS_AT_ONCE_MAX }, releaseNext));
  }

  #wakeNextClaim(): void {
    if (this.#slots.canPick(Date.now())) this.#waitQueue.wakeNext();
  }

  #setAlarm(): void {
    const now = Date.now();
    for (const dueAt of [this.#slots.nextAlarmAt(now), this.#keyCheckDueAt()]) {
      if (dueAt !== null) this.#alarm.set(Math.max(dueAt, now));
    }
  }

  /** Whether the queue itself starts tasks. */
  #startsTasks(): boolean {
    return this.#slots.record?.terms.isPulled === false;
  }

  /** A queue that nobody has told of its terms yet may turn out to be one that can be claimed from. */
  #isClaimable(): boolean {
    const record = this.#slots.record;
    return record === null || (record.isOpen && record.terms.isPulled);
  }

  #requireRecord() {
    const { record } = this.#slots;
    if (record === null) throw new Error("A queue that holds tasks must know whose it is");
    return record;
  }
}

function toOfferResult(admission: SlotOffer | null, { keyId }: OfferRecipient): OfferResult {
  if (admission === null) return { kind: "lost" };
  if (!admission.admitted) return { kind: "refused", isWorking: admission.isWorking };
  return { kind: "admitted", seq: admission.task.seq, keyId };
}
