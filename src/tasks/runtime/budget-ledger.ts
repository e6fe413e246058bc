import type { Failure } from "../../kernel/failure.ts";
import { sumDollars } from "../../kernel/units.ts";
import { fail, ok, type Result } from "../../kernel/result.ts";
import { CALL_LOST_AFTER_MS } from "../../tools/limits.ts";
import type { CallBudget } from "../../tools/model/invocation.ts";
import { costLimitQuestion, reserveFromBudget } from "../model/budget.ts";
import { illegalTransition } from "../model/guards.ts";
import { hasAnswer, type Task, type TaskSpend, type ToolCall } from "../model/task.ts";
import type { TaskCommand } from "../model/command.ts";
import type { TaskCallReservation } from "../task.rpc.ts";
import type { Outbox } from "./outbox.ts";
import type { TaskStore } from "./task.store.ts";

const NOT_RAISED =
  "The budget is used up, and the answer to the budget question did not raise it. Finish with the existing results, or report the task as blocked to ask again.";

/**
 * Reserves budget for calls that are not in the task's log yet. Reservations are kept in memory, so a crash releases
 * them. A call that outlives the crash is still logged.
 */
export class BudgetLedger {
  readonly #taskId: string;
  readonly #store: TaskStore;
  readonly #outbox: Outbox;
  readonly #open = new Map<string, { readonly price: number; readonly at: number }>();

  constructor(taskId: string, store: TaskStore, outbox: Outbox) {
    this.#taskId = taskId;
    this.#store = store;
    this.#outbox = outbox;
  }

  /**
   * Reserves budget for a call made outside the object. `blocks`: whether to block the task if the budget is used up.
   */
  async reserve(
    task: Task,
    priceMax: number,
    blocks: boolean,
  ): Promise<Result<TaskCallReservation, Failure>> {
    if (task.status !== "in_progress") return fail(illegalTransition(task, "spend"));
    const reserved = this.#reserve(task, priceMax);
    if (reserved.ok) return ok({ ...reserved.value, blocks });
    return fail(await this.#overBudget(task, task.attempt, reserved.failure, blocks));
  }

  /** Logs the cost of a call that was made, unless the task has ended. */
  async commit(
    { reservationId }: Pick<TaskCallReservation, "reservationId">,
    call: ToolCall,
  ): Promise<void> {
    this.#open.delete(reservationId);
    await this.#commitCommand({ type: "spend", calls: [call] });
  }

  /** Releases the reservation of a call that was not made. Returns a failure if the call was too expensive. */
  async release(
    { reservationId, blocks, attempt }: TaskCallReservation,
    isTooExpensive: boolean,
  ): Promise<Failure | null> {
    const task = this.#store.enforceTimeLimits();
    this.#open.delete(reservationId);
    if (!isTooExpensive || task === null) return null;
    return this.#overBudget(task, attempt, costLimitQuestion(task.budget), blocks);
  }

  /**
   * Begins a step inside the object. `load` returns the current task. `end` releases the reservations of the step's
   * calls, which must already be in the log. Calls that end later are logged and released one by one.
   */
  beginStep(load: () => Task): { readonly budget: CallBudget; readonly end: () => void } {
    const paid: string[] = [];
    let isOver = false;
    const toFailure = (question: string): Failure => {
      return { kind: "task_budget_exceeded", taskId: this.#taskId, question };
    };
    const budget: CallBudget = {
      reserve: async (priceMax) => {
        // A step that timed out may still be running.
        if (isOver) throw new Error("A step must not make calls after it has ended");
        const reserved = this.#reserve(load(), priceMax);
        if (!reserved.ok) return fail(toFailure(reserved.failure));
        const { reservationId, costMax } = reserved.value;
        return ok({
          costMax,
          // The reservation holds the cost of the call until the step's calls are logged.
          commit: async (call) => {
            if (isOver) return this.commit(reserved.value, call);
            this.#open.set(reservationId, { price: call.cost, at: Date.now() });
            paid.push(reservationId);
          },
          release: async (isTooExpensive) => {
            this.#open.delete(reservationId);
            return isTooExpensive ? toFailure(costLimitQuestion(load().budget)) : null;
          },
        });
      },
    };
    const end = (): void => {
      isOver = true;
      for (const id of paid) this.#open.delete(id);
    };
    return { budget, end };
  }

  /** Reserves one more call, or returns the question to ask if no tool calls are left. */
  #reserve(task: Task, priceMax: number): Result<Omit<TaskCallReservation, "blocks">, string> {
    const now = Date.now();
    const reserved = reserveFromBudget(task.budget, task.spend, this.#reservedSpend(now), priceMax);
    if (!reserved.ok) return reserved;
    const { costMax, price } = reserved.value;
    const reservationId = crypto.randomUUID();
    this.#open.set(reservationId, { price, at: now });
    return ok({ reservationId, costMax, attempt: task.attempt });
  }

  /** The number and maximum cost of the open calls. A call that does not report its end in time is dropped. */
  #reservedSpend(now: number): TaskSpend {
    for (const [id, { at }] of this.#open) {
      if (at <= now - CALL_LOST_AFTER_MS) this.#open.delete(id);
    }
    const prices = [...this.#open.values()].map(({ price }) => price);
    return { cost: sumDollars(prices), toolCalls: prices.length };
  }

  /**
   * Returns the failure for a call that exceeds the budget. If `blocks` is set, also blocks the task with the budget
   * question, unless the question was already answered without raising the budget or the call belongs to an earlier
   * attempt.
   */
  async #overBudget(
    task: Task,
    attempt: number,
    question: string,
    blocks: boolean,
  ): Promise<Failure> {
    const isAnswered = hasAnswer(task, question);
    if (blocks && !isAnswered) {
      const data = { kind: "budget" as const, question, calls: [], work: {} };
      await this.#commitCommand({ type: "block", attempt, data });
    }
    const reason = isAnswered ? NOT_RAISED : question;
    return { kind: "task_budget_exceeded", taskId: this.#taskId, question: reason };
  }

  /** Commits a command and publishes the change. Does nothing if the command is no longer legal. */
  async #commitCommand(command: TaskCommand): Promise<void> {
    const decided = this.#store.commit([command]);
    if (decided.ok) await this.#outbox.publish(decided.value.task);
  }
}
