import { reserveCall, type Reserved } from "../domain/budget.ts";
import { sumOf } from "../domain/money.ts";
import { ok, type Result } from "../domain/result.ts";
import type { Task } from "../domain/task.ts";
import type { ReservedCall } from "./port.ts";

/**
 * Calls of tools under way for a task, with the money set aside for each. Kept in memory alone: a call
 * outlives its ticket only where the object crashed, and is written into the log all the same.
 */
export class Tickets {
  readonly #prices = new Map<number, number>();
  #last = 0;

  /** A ticket for one more call, or the question that its budget raises. */
  take(task: Task, priceMax: number): Result<ReservedCall, string> {
    const reserved = reserveCall(task.budget, task.spend, this.#reserved(), priceMax);
    if (!reserved.ok) return reserved;
    this.#last += 1;
    this.#prices.set(this.#last, reserved.value.price);
    const { costMax } = reserved.value;
    return ok({ ticket: this.#last, attempt: task.attempt, costMax });
  }

  giveBack({ ticket }: ReservedCall): void {
    this.#prices.delete(ticket);
  }

  #reserved(): Reserved {
    return { cost: sumOf([...this.#prices.values()]), toolCalls: this.#prices.size };
  }
}
