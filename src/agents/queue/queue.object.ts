import { DurableObject } from "cloudflare:workers";
import { runConcurrently, withTimeout } from "../../platform/promises.ts";
import { queryOrNull } from "../../platform/d1/client.ts";
import {
  CLAIM_TASKS_MAX,
  LEASE_KEY_CHECK_MS,
  OFFERS_PER_RUN_MAX,
  OFFERS_AT_ONCE_MAX,
  PAUSE_CHECK_MS,
} from "../limits.ts";
import { KEY_CHECK_TIMEOUT_MS } from "../../keys/limits.ts";
import { STORE_TIMEOUT_MS } from "../../platform/limits.ts";
import type { QueueEntry } from "../model/queue-entry.ts";
import type { AdmissionResult } from "../../tasks/task.rpc.ts";
import { ObjectAlarm } from "../../platform/alarm.ts";
import { findEndedKeys } from "../../keys/authenticate.ts";
import { syncQueue } from "./sync-queue.ts";
import { ClaimBatch, type OfferRecipient } from "./claim-batch.ts";
import { Waiter, WaitQueue } from "./wait-queue.ts";
import { endTaskLease, holdTask, offerSlot, releaseTask } from "./task-calls.ts";
import {
  type OfferResult,
  OverBudgetTasks,
  SqlQueueStore,
  type StoredQueueEntry,
} from "./queue.store.ts";
import { QueueSlots } from "./slots.ts";
import { WorkerPresence } from "./worker-presence.ts";
import type {
  CallerTasks,
  ClaimRequest,
  ClaimedTask,
  OverBudgetRemoval,
  QueueRpc,
  QueueCounts,
  QueueTerms,
} from "./queue.rpc.ts";
import { log } from "../../platform/log.ts";
import { acceptRequestIds } from "../../platform/request-id.ts";

/** Receives the tasks that accept a slot, for agents whose tasks start without a claim. */
const SELF_STARTED: OfferRecipient = {
  tasksMax: OFFERS_PER_RUN_MAX,
  keyId: null,
  worker: null,
  createGrant: () => null,
  canTakeMore: () => true,
  add: () => {},
};

/**
 * One agent's queue. A call that adds a task or frees a slot returns only after free slots are assigned. If the object
 * crashes first, the caller repeats the call, so no alarm is needed.
 */
export class AgentQueue extends DurableObject<Env> implements QueueRpc {
  static {
    acceptRequestIds(this, (object) => object.#alarm.requestId ?? object.#slots.requestId);
  }

  readonly #slots: QueueSlots;
  readonly #overBudget: OverBudgetTasks;
  readonly #alarm: ObjectAlarm;
  readonly #waitQueue = new WaitQueue();
  readonly #waiters = new Map<string, Waiter>();
  readonly #presence = new WorkerPresence();
  /** Open offers by task id. Each promise settles when its offer ends. */
  readonly #openOffers = new Map<string, Promise<unknown>>();
  /** When the lease keys were last checked. A new instance checks them immediately. */
  #keysCheckedAt = -Infinity;
  /** When the settings of a paused agent were last read. */
  #pauseCheckedAt = Date.now();

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env);
    this.#slots = new QueueSlots(new SqlQueueStore(ctx.storage));
    this.#overBudget = new OverBudgetTasks(ctx.storage.kv);
    this.#alarm = ObjectAlarm.load(ctx);
  }

  async enqueue(
    agentId: string,
    entry: Omit<QueueEntry, "isRunning">,
    terms: QueueTerms,
  ): Promise<void> {
    // A task knows only the settings from its assignment; `configure` sets newer ones.
    const { isPaused, ...ownTerms } = terms;
    if (this.#slots.record === null) this.#slots.configure(agentId, ownTerms, true);
    this.#slots.enqueue(entry, terms, Date.now());
    this.#overBudget.remove(entry.taskId, entry.seq);
    // If this call is a repeat, wait for the offer that is already open, because a crash would lose it.
    await this.#openOffers.get(entry.taskId);
    // The task saw a pause that this queue does not know of yet. Without it, the task would return again and again.
    if (isPaused === true && !this.#slots.isPaused) {
      await withTimeout(STORE_TIMEOUT_MS, syncQueue(this.env, agentId, terms));
    }
    await this.#dispatch();
  }

  async remove(taskId: string, seq: number, isOverBudget = false): Promise<void> {
    this.#slots.removeTask(taskId, seq);
    if (isOverBudget) this.#overBudget.add(taskId, seq);
    else this.#overBudget.remove(taskId, seq);
    await this.#dispatch();
  }

  async claim(claim: ClaimRequest): Promise<readonly ClaimedTask[] | null> {
    const waiter = new Waiter(this.#waitQueue, claim.waitMs);
    this.#waiters.set(claim.id, waiter);
    this.#presence.startClaim(claim, Date.now());
    try {
      while (!waiter.isCancelled) {
        if (!this.#isClaimable()) return null;
        const batch = new ClaimBatch(claim, waiter);
        await this.#offerSlots(batch);
        const taken = batch.listTasks();
        if (taken.length > 0) return taken;
        // There is no await between these checks and `wait`, so a new task or a closed queue cannot be missed.
        if (!this.#isClaimable() || this.#slots.canPick(Date.now())) continue;
        if (!(await waiter.wait())) break;
      }
      return [];
    } finally {
      this.#waiters.delete(claim.id);
      this.#presence.endClaim(claim, Date.now());
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
    this.#pauseCheckedAt = Date.now();
    this.#waitQueue.wakeAll();
    // The alarm starts the tasks so that updating an agent does not wait for them.
    if (this.#startsTasks() && this.#slots.canPick(Date.now()))
      this.#alarm.setNoLaterThan(Date.now());
    this.#setAlarm();
  }

  async readCounts(): Promise<QueueCounts> {
    const counts = this.#slots.readCounts();
    if (this.#startsTasks()) return counts;
    return { ...counts, workers: this.#presence.list(this.#slots.listRunning()) };
  }

  async listCallerTasks(keyId: string): Promise<CallerTasks> {
    const claimed = this.#slots.listClaimedTaskIds(keyId).slice(0, CLAIM_TASKS_MAX);
    return { claimed, overBudget: this.#overBudget.listPage() };
  }

  async removeOverBudget(outdated: readonly OverBudgetRemoval[]): Promise<readonly string[]> {
    for (const { taskId, seq } of outdated) this.#overBudget.remove(taskId, seq);
    return this.#overBudget.listPage();
  }

  override async alarm(): Promise<void> {
    this.#alarm.markFired();
    await this.#endLeases();
    await this.#resyncIfStale();
    await this.#releaseTasks();
    await this.#holdTasks();
    await this.#dispatch();
  }

  /** Starts tasks that can start, or wakes the next claim. */
  async #dispatch(): Promise<void> {
    try {
      if (!this.#startsTasks()) return this.#wakeNextClaim();
      await this.#offerSlots(SELF_STARTED);
      if (this.#slots.canPick(Date.now())) this.#alarm.setNoLaterThan(Date.now());
    } finally {
      this.#setAlarm();
    }
  }

  /** Offers slots to tasks, a few at a time. */
  async #offerSlots(recipient: OfferRecipient): Promise<void> {
    const offersMax = recipient.tasksMax + OFFERS_PER_RUN_MAX;
    let left = recipient.tasksMax;
    let offers = 0;
    let openOffers = 0;
    let mayOfferToHolder = true;
    await runConcurrently(OFFERS_AT_ONCE_MAX, async () => {
      if (left <= 0 || offers >= offersMax || !recipient.canTakeMore(openOffers)) return false;
      let entry = this.#slots.pickNext(Date.now());
      if (entry === null && mayOfferToHolder) {
        mayOfferToHolder = false;
        entry = this.#slots.pickUnconfirmedHolder(Date.now());
      }
      if (entry === null) return false;
      const position = offers;
      left -= 1;
      offers += 1;
      openOffers += 1;
      const offer = this.#offerSlot(entry, recipient);
      this.#openOffers.set(entry.taskId, offer);
      const answer = await offer.finally(() => {
        // The task may have another open offer by now.
        if (this.#openOffers.get(entry.taskId) === offer) this.#openOffers.delete(entry.taskId);
      });
      openOffers -= 1;
      if (answer?.admitted === true) recipient.add(position, entry.taskId, answer);
      else left += 1;
      return true;
    });
  }

  async #offerSlot(entry: StoredQueueEntry, to: OfferRecipient): Promise<AdmissionResult | null> {
    const { agentId } = this.#requireRecord();
    const answer = await offerSlot(this.env, agentId, entry.taskId, to.createGrant());
    // The first lease starts the interval between key checks.
    if (!this.#slots.hasLeases) this.#keysCheckedAt = Date.now();
    this.#slots.recordOffer(entry, toOfferResult(answer, to), Date.now());
    // Set the alarm together with the row that names the key, so that a crash cannot leave one without the other.
    if (to.keyId !== null) this.#setAlarm();
    return answer;
  }

  /** Ends leases whose keys were revoked or have expired. Does nothing if D1 does not respond. */
  async #endLeases(): Promise<void> {
    const dueAt = this.#keyCheckDueAt();
    if (dueAt === null || dueAt > Date.now()) return;
    this.#keysCheckedAt = Date.now();
    const ended = await this.#endedKeys();
    if (ended.size === 0) return;
    const count = await drain(
      () => this.#slots.pickLeaseToEnd(ended, Date.now()),
      async (lease) => {
        const isAnswered = await endTaskLease(this.env, lease.taskId, lease.keyId);
        this.#slots.recordLeaseEnd(lease, isAnswered, Date.now());
      },
    );
    // The next alarm ends the rest.
    if (count === OFFERS_PER_RUN_MAX) this.#keysCheckedAt = -Infinity;
  }

  async #endedKeys(): Promise<ReadonlySet<string>> {
    const { agentId } = this.#requireRecord();
    const query = findEndedKeys(this.env, this.#slots.listLeaseKeys());
    const ended = queryOrNull(KEY_CHECK_TIMEOUT_MS, query, "lease_keys_check_failed", { agentId });
    return new Set(await ended);
  }

  #keyCheckDueAt(): number | null {
    return this.#slots.hasLeases ? this.#keysCheckedAt + LEASE_KEY_CHECK_MS : null;
  }

  /**
   * Updates the settings from the registry before releasing tasks that do not match them, and from time to time while
   * the agent is paused.
   */
  async #resyncIfStale(): Promise<void> {
    const now = Date.now();
    const isPauseCheckDue = (this.#pauseCheckDueAt() ?? Infinity) <= now;
    if (!isPauseCheckDue && !this.#slots.hasStaleEntries(now)) return;
    this.#pauseCheckedAt = now;
    const { agentId, terms } = this.#requireRecord();
    try {
      await withTimeout(STORE_TIMEOUT_MS, syncQueue(this.env, agentId, terms));
    } catch (error) {
      log.warn("queue_sync_failed", { agentId, error });
    }
  }

  /** Releases tasks that must not wait in this queue. The alarm repeats until none are left. */
  async #releaseTasks(): Promise<void> {
    await drain(
      () => this.#slots.pickToRelease(Date.now()),
      async (entry) => {
        const isReleased = await releaseTask(this.env, this.#requireRecord().agentId, entry.taskId);
        this.#slots.recordRelease(entry, isReleased, Date.now());
      },
    );
  }

  /** Tells tasks that the agent is paused. The alarm repeats until all know. */
  async #holdTasks(): Promise<void> {
    await drain(
      () => this.#slots.pickToHold(Date.now()),
      async (entry) => {
        const isAnswered = await holdTask(this.env, this.#requireRecord().agentId, entry.taskId);
        this.#slots.recordHold(entry, isAnswered, Date.now());
      },
    );
  }

  #pauseCheckDueAt(): number | null {
    const hasEntries = this.#slots.isPaused && this.#slots.hasEntries;
    return hasEntries ? this.#pauseCheckedAt + PAUSE_CHECK_MS : null;
  }

  #wakeNextClaim(): void {
    if (this.#slots.canPick(Date.now())) this.#waitQueue.wakeNext();
  }

  #setAlarm(): void {
    const now = Date.now();
    const checksDueAt = [this.#keyCheckDueAt(), this.#pauseCheckDueAt()];
    for (const dueAt of [this.#slots.nextAlarmAt(now), ...checksDueAt]) {
      if (dueAt !== null) this.#alarm.setNoLaterThan(Math.max(dueAt, now));
    }
  }

  #startsTasks(): boolean {
    return this.#slots.record?.terms.isPulled === false;
  }

  /** A queue without a record may belong to an agent that allows claims. */
  #isClaimable(): boolean {
    const record = this.#slots.record;
    if (record === null) return true;
    return record.isOpen && record.terms.isPulled && !this.#slots.isPaused;
  }

  #requireRecord() {
    const { record } = this.#slots;
    if (record === null) throw new Error("A queue with tasks must have a record");
    return record;
  }
}

function toOfferResult(
  answer: AdmissionResult | null,
  { keyId, worker }: OfferRecipient,
): OfferResult {
  if (answer === null) return { kind: "lost" };
  if (!answer.admitted) return { kind: "rejected", isWorking: answer.isWorking };
  return { kind: "admitted", seq: answer.task.seq, keyId, worker };
}

/** Processes up to OFFERS_PER_RUN_MAX items, a few at a time, and returns how many it processed. */
async function drain<Item>(
  pick: () => Item | null,
  handle: (item: Item) => Promise<void>,
): Promise<number> {
  let count = 0;
  await runConcurrently(OFFERS_AT_ONCE_MAX, async () => {
    const item = count < OFFERS_PER_RUN_MAX ? pick() : null;
    if (item === null) return false;
    count += 1;
    await handle(item);
    return true;
  });
  return count;
}
