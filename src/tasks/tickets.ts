import { reserveCall, type Reserved } from "../domain/budget.ts";
import { LOST_CALL_MS } from "../domain/limits.ts";
import { sumOf } from "../domain/money.ts";
import { ok, type Result } from "../domain/result.ts";
import type { Task } from "../domain/task.ts";

/** The permission for one call. `costMax` in US dollars; null: any price. */
export interface Ticket {
  readonly ticket: string;
  readonly costMax: number | null;
}

/**
 * Calls of tools for a task that its log does not have yet, with the money set aside for each. Kept in
 * memory: a call outlives its ticket only where the object crashed, and gets into the log all the same.
 */
export class Tickets {
  readonly #open = new Map<string, { readonly price: number; readonly at: number }>();

  /** A ticket for one more call, or the question that its budget raises. */
  take(task: Task, priceMax: number, now: number): Result<Ticket, string> {
    const reserved = reserveCall(task.budget, task.spend, this.#reserved(now), priceMax);
    if (!reserved.ok) return reserved;
    const { costMax, price } = reserved.value;
    const ticket = crypto.randomUUID();
    this.#open.set(ticket, { price, at: now });
    return ok({ ticket, costMax });
  }

  /** The call was made; until the log has it, the ticket stands for what it cost. */
  keep({ ticket }: Pick<Ticket, "ticket">, cost: number, now: number): void {
    this.#open.set(ticket, { price: cost, at: now });
  }

  giveBack({ ticket }: Pick<Ticket, "ticket">): void {
    this.#open.delete(ticket);
  }

  /** What calls that the log does not have yet may cost; one whose end was never heard of is let go. */
  #reserved(now: number): Reserved {
    for (const [ticket, { at }] of this.#open) {
      if (at <= now - LOST_CALL_MS) this.#open.delete(ticket);
    }
    const prices = [...this.#open.values()].map(({ price }) => price);
    return { cost: sumOf(prices), toolCalls: prices.length };
  }
}
