import { DurableObject } from "cloudflare:workers";
import type { LeaseGrant } from "../../domain/lease.ts";
import { OFFERS_A_CALL_MAX, OFFERS_AT_ONCE_MAX } from "../../domain/limits.ts";
import type { QueueEntry } from "../../domain/queue.ts";
import type { Admission } from "../../tasks/port.ts";
import { WakeUp } from "../../tasks/wake-up.ts";
import { Line } from "./line.ts";
import { grantOf, offerPlace, release } from "./offer.ts";
import type { OfferAnswer, Placed } from "./placed.ts";
import { Places } from "./places.ts";
import type { Claim, ClaimedTask, QueueObjectPort, QueueStanding, QueueTerms } from "./port.ts";
import { QueueRows } from "./rows.ts";

interface Admitted {
  readonly entry: Placed;
  readonly admission: Extract<Admission, { admitted: true }>;
}

/**
 * One object an agent: the shell around its places. Who frees a place or brings a task waits until the
 * place is given, so that after a crash its call has failed, and is made again; no alarm is needed.
 */
export class AgentQueue extends DurableObject<Env> implements QueueObjectPort {
  readonly #places: Places;
  readonly #wakeUp: WakeUp;
  readonly #line = new Line();

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env);
    this.#places = new Places(new QueueRows(ctx.storage));
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
    await this.#goOn();
  }

  async leave(taskId: string, seq: number): Promise<void> {
    this.#places.leave(taskId, seq);
    await this.#goOn();
  }

  async claim(claim: Claim): Promise<readonly ClaimedTask[]> {
    const visitor = this.#line.join(claim.waitMs);
    try {
      for (;;) {
        if (!this.#isClaimable()) return [];
        const admitted = await this.#offer(claim.tasksMax, () => grantOf(claim));
        if (admitted.length > 0) return admitted.flatMap(claimed);
        // From here to the line nothing is awaited: a task that comes meets one who stands in it.
        if (this.#isClaimable() && this.#places.canPick(Date.now())) continue;
        if (!(await visitor.turn())) return [];
      }
    } finally {
      visitor.leave();
      this.#callNext();
      this.#arm();
    }
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

  override async alarm(): Promise<void> {
    this.#wakeUp.fired();
    await this.#release();
    await this.#goOn();
  }

  /** Gives out what can be given out: to the tasks themselves, or to the next who waits for one. */
  async #goOn(): Promise<void> {
    try {
      if (!this.#isPushing()) return this.#callNext();
      await this.#offer(OFFERS_A_CALL_MAX, () => null);
      if (this.#places.canPick(Date.now())) this.#wakeUp.set(Date.now());
    } finally {
      this.#arm();
    }
  }

  /** Fills at most so many places, some at a time; those admitted, the most urgent first. */
  async #offer(wanted: number, grant: () => LeaseGrant | null): Promise<Admitted[]> {
    const answers: (Admitted | null)[] = [];
    let left = wanted;
    let mayAskHolder = true;
    const offerOn = async (): Promise<void> => {
      while (left > 0 && answers.length < wanted + OFFERS_A_CALL_MAX) {
        let entry = this.#places.pick(Date.now());
        if (entry === null && mayAskHolder) {
          mayAskHolder = false;
          entry = this.#places.pickHolder(Date.now());
        }
        if (entry === null) return;
        left -= 1;
        const place = answers.push(null) - 1;
        const admitted = await this.#offerTo(entry, grant());
        answers[place] = admitted;
        if (admitted === null) left += 1;
      }
    };
    await Promise.all(Array.from({ length: OFFERS_AT_ONCE_MAX }, offerOn));
    return answers.filter((one) => one !== null);
  }

  async #offerTo(entry: Placed, grant: LeaseGrant | null): Promise<Admitted | null> {
    const { agentId } = this.#record();
    const admission = await offerPlace(this.env, agentId, entry.taskId, grant);
    this.#places.settle(entry, answerOf(admission), Date.now());
    return admission?.admitted === true ? { entry, admission } : null;
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
    const dueAt = this.#places.dueAt(Date.now());
    if (dueAt !== null) this.#wakeUp.set(dueAt);
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

function answerOf(admission: Admission | null): OfferAnswer {
  if (admission === null) return { kind: "lost" };
  if (!admission.admitted) return { kind: "refused", isWorking: admission.isWorking };
  return { kind: "admitted", seq: admission.task.seq };
}

/** A task that works without a lease has started by itself, and is nobody's to claim. */
function claimed({ entry, admission: { task, lease } }: Admitted): ClaimedTask[] {
  return lease === null ? [] : [{ taskId: entry.taskId, task, lease }];
}
