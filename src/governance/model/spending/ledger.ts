import { sumDollars } from "../../../kernel/units.ts";
import { LIMITS_MAX } from "../../limits.ts";
import type {
  Amounts,
  ExceededLimit,
  LimitEvent,
  LimitMeasure,
  LimitTerms,
  LimitUse,
} from "./limit.ts";
import { windowOf, type LimitWindow } from "./window.ts";

/**
 * The use of a limit in one window. `rule` identifies what was counted: if it changes, the use starts again. Field
 * names in this file must not change, because they are stored.
 */
export interface StoredUse extends LimitWindow {
  readonly limitId: string;
  readonly rule: string;
  readonly used: number;
  readonly isWarned: boolean;
  readonly isExceeded: boolean;
}

/** The amount that one call holds of one limit, in the window that began at `startsAt`. */
export interface StoredHold {
  readonly limit: LimitTerms;
  readonly startsAt: number;
  readonly amount: number;
}

/** What a call that has not ended may use. If it is not settled by `expiresAt`, all of it counts as used. */
export interface StoredReservation {
  readonly id: string;
  readonly expiresAt: number;
  readonly holds: readonly StoredHold[];
}

/** What to store after a change: new reservations, the ids of ended ones, and whether `uses` changed. */
export interface LedgerChange {
  readonly reserved: readonly StoredReservation[];
  readonly ended: readonly string[];
  readonly areUsesChanged: boolean;
  readonly events: readonly LimitEvent[];
}

/**
 * `isHeld`: whether there is something to settle. `exceeded`: of the limits that do not allow the call, the one that
 * resets last. `pausing`: one of them that pauses the agent; null if there is none.
 */
export type LimitDecision =
  | { readonly isGranted: true; readonly isHeld: boolean }
  | {
      readonly isGranted: false;
      readonly exceeded: ExceededLimit;
      readonly pausing: ExceededLimit | null;
    };

/**
 * Uses are kept for more limits than can exist, so that a limit that is deleted and created again continues its use. The
 * least recently changed are dropped.
 */
const USES_MAX = 5 * LIMITS_MAX;

/** Counts the use of limits. A reservation covers all limits of a call or none. */
export class LimitLedger {
  readonly #uses: Map<string, StoredUse>;
  /** In the order in which they expire. */
  readonly #reservations = new Map<string, StoredReservation>();
  readonly #reserved = new Map<string, number>();
  #change = emptyChange();

  constructor(uses: readonly StoredUse[], reservations: readonly StoredReservation[]) {
    this.#uses = new Map(uses.map((use) => [use.limitId, use]));
    for (const one of reservations.toSorted((a, b) => a.expiresAt - b.expiresAt)) this.#open(one);
  }

  /** The uses to store, least recently changed first. */
  get uses(): StoredUse[] {
    return [...this.#uses.values()];
  }

  /** The changes since the last call of this method. */
  takeChange(): LedgerChange {
    const change = this.#change;
    this.#change = emptyChange();
    return change;
  }

  /**
   * Reserves the amounts that a call may use, or changes nothing if a limit does not allow them. An amount of zero is
   * always allowed.
   */
  reserve(
    id: string,
    amounts: Amounts,
    limits: readonly LimitTerms[],
    { now, expiresAt }: { readonly now: number; readonly expiresAt: number },
  ): LimitDecision {
    this.expire(now);
    if (this.#reservations.has(id)) return { isGranted: true, isHeld: true };
    const affected = limits.filter(({ measure }) => amounts[measure] > 0);
    const exceeded = affected.flatMap((limit): ExceededLimit[] => {
      const requested = amounts[limit.measure];
      const use = this.readUse(limit, now);
      const total = add(limit.measure, use.used, use.reserved, requested);
      return total > limit.limit ? [{ ...use, limit, requested }] : [];
    });
    const [last] = exceeded.toSorted((a, b) => (b.resetAt ?? Infinity) - (a.resetAt ?? Infinity));
    if (last !== undefined) {
      for (const each of exceeded) this.#markExceeded(each, now);
      const pausing = exceeded.find(({ limit }) => limit.onExceeded === "pause-agent") ?? null;
      return { isGranted: false, exceeded: last, pausing };
    }
    const holds = affected
      .filter(({ per }) => per !== "call")
      .map((limit): StoredHold => {
        const { startsAt } = this.#openUse(limit, now);
        return { limit, startsAt, amount: amounts[limit.measure] };
      });
    if (holds.length === 0) return { isGranted: true, isHeld: false };
    const reservation = { id, expiresAt, holds };
    this.#open(reservation);
    this.#change.reserved.push(reservation);
    return { isGranted: true, isHeld: true };
  }

  /** Ends a reservation with the amounts that were used. Does nothing if the reservation has already ended. */
  settle(id: string, used: Amounts, now: number): void {
    this.expire(now);
    this.#end(id, now, ({ limit }) => used[limit.measure]);
  }

  /** Counts expired reservations as used, because their calls may have been made. */
  expire(now: number): void {
    for (const [id, { expiresAt }] of this.#reservations) {
      if (expiresAt > now) return;
      this.#end(id, now, ({ amount }) => amount);
    }
  }

  /** The use in the window that contains `now`. */
  readUse(limit: LimitTerms, now: number): LimitUse {
    const current = this.#currentUse(limit, now);
    const { used, endsAt } = current ?? { used: 0, ...windowOf(limit.per, limit.timeZone, now) };
    const reserved = current === null ? 0 : (this.#reserved.get(limit.id) ?? 0);
    return { used, reserved, resetAt: limit.per === "call" ? null : endsAt };
  }

  /** Null if nothing is counted in the current window. If the clock is set back, the window continues. */
  #currentUse(limit: LimitTerms, now: number): StoredUse | null {
    const use = this.#uses.get(limit.id);
    if (use === undefined || use.rule !== ruleOf(limit)) return null;
    return use.endsAt === null || now < use.endsAt ? use : null;
  }

  /** The use in the current window, which is opened if necessary. */
  #openUse(limit: LimitTerms, now: number): StoredUse {
    const current = this.#currentUse(limit, now);
    if (current !== null) return current;
    const opened: StoredUse = {
      limitId: limit.id,
      rule: ruleOf(limit),
      ...windowOf(limit.per, limit.timeZone, now),
      used: 0,
      isWarned: false,
      isExceeded: false,
    };
    this.#saveUse(opened);
    this.#reserved.delete(limit.id);
    return opened;
  }

  #saveUse(use: StoredUse): void {
    this.#uses.delete(use.limitId);
    this.#uses.set(use.limitId, use);
    const [oldest] = this.#uses.keys();
    if (this.#uses.size > USES_MAX && oldest !== undefined) this.#uses.delete(oldest);
    this.#change.areUsesChanged = true;
  }

  #open(reservation: StoredReservation): void {
    this.#reservations.set(reservation.id, reservation);
    for (const hold of reservation.holds) this.#addReserved(hold, hold.amount);
  }

  #end(id: string, now: number, amountOf: (hold: StoredHold) => number): void {
    const reservation = this.#reservations.get(id);
    if (reservation === undefined) return;
    this.#reservations.delete(id);
    this.#change.ended.push(id);
    for (const hold of reservation.holds) {
      this.#addReserved(hold, -hold.amount);
      this.#addUsed(hold, amountOf(hold), now);
    }
  }

  /** The use that a hold belongs to; null if its window is over or its limit now counts something else. */
  #useOf({ limit, startsAt }: StoredHold): StoredUse | null {
    const use = this.#uses.get(limit.id);
    return use?.rule === ruleOf(limit) && use.startsAt === startsAt ? use : null;
  }

  #addReserved(hold: StoredHold, amount: number): void {
    if (this.#useOf(hold) === null) return;
    const { id, measure } = hold.limit;
    this.#reserved.set(id, add(measure, this.#reserved.get(id) ?? 0, amount));
  }

  #addUsed(hold: StoredHold, amount: number, now: number): void {
    const use = this.#useOf(hold);
    if (use === null || amount === 0) return;
    const { limit } = hold;
    const used = add(limit.measure, use.used, amount);
    const isWarned = used >= limit.limit * limit.warnAt;
    this.#saveUse({ ...use, used, isWarned: use.isWarned || isWarned });
    if (!isWarned || use.isWarned) return;
    this.#change.events.push({ type: "limit.warned", limit, at: now, used, resetAt: use.endsAt });
  }

  #markExceeded({ limit, used, resetAt }: ExceededLimit, now: number): void {
    const use = this.#openUse(limit, now);
    if (use.isExceeded) return;
    this.#saveUse({ ...use, isExceeded: true });
    this.#change.events.push({ type: "limit.exceeded", limit, at: now, used, resetAt });
  }
}

/** What a limit counts. A different number, warning or action does not change it. */
function ruleOf({ subject, measure, per, timeZone }: LimitTerms): string {
  return `${measure} per ${per} in ${timeZone} of ${subject}`;
}

function add(measure: LimitMeasure, ...amounts: readonly number[]): number {
  return measure === "usd" ? sumDollars(amounts) : amounts.reduce((sum, one) => sum + one, 0);
}

function emptyChange() {
  const reserved: StoredReservation[] = [];
  const ended: string[] = [];
  const events: LimitEvent[] = [];
  return { reserved, ended, areUsesChanged: false, events };
}
