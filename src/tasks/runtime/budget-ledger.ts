import {
  costLimitQuestion,
  reserveFromBudget,
  type CallReservation,
  type ReservedSpend,
  type StepBudget,
} from "../model/budget.ts";
import type { TaskCommand } from "../model/command.ts";
import type { Failure } from "../../kernel/failure.ts";
import { fail, ok, type Result } from "../../kernel/result.ts";
import type { Task, ToolCall } from "../model/task.ts";
import { illegalTransition } from "../model/guards.ts";
import type { TaskCallReservation } from "../task.rpc.ts";
import { CALL_LOST_AFTER_MS } from "../../tools/limits.ts";
import { sumDollars } from "../../kernel/money.ts";

/**
 * Calls of tools for a task that its log does not have yet, with the money set aside for each. Kept in
 * memory: a call outlives its ticket only where the object crashed, and gets into the log all the same.
 */
export class OpenReservations {
  readonly #open = new Map<string, { readonly price: number; readonly at: number }>();

  /** A ticket for one more call, or the question that its budget raises. */
  reserve(task: Task, priceMax: number, now: number): Result<CallReservation, string> {
    const reserved = reserveFromBudget(task.budget, task.spend, this.#reserved(now), priceMax);
    if (!reserved.ok) return reserved;
    const { costMax, price } = reserved.value;
    const ticket = crypto.randomUUID();
    this.#open.set(ticket, { price, at: now });
    return ok({ ticket, costMax });
  }

  /** The call was made; until the log has it, the ticket stands for what it cost. */
  commit({ ticket }: Pick<CallReservation, "ticket">, cost: number, now: number): void {
    this.#open.set(ticket, { price: cost, at: now });
  }

  release({ ticket }: Pick<CallReservation, "ticket">): void {
    this.#open.delete(ticket);
  }

  /** What calls that the log does not have yet may cost; one whose end was never heard of is let go. */
  #reserved(now: number): ReservedSpend {
    for (const [ticket, { at }] of this.#open) {
      if (at <= now - CALL_LOST_AFTER_MS) this.#open.delete(ticket);
    }
    const prices = [...this.#open.values()].map(({ price }) => price);
    return { cost: sumDollars(prices), toolCalls: prices.length };
  }
}

const NOT_RAISED =
  "The budget is used up, and the answer to the budget question did not raise it. Finish with the existing results, or report the task as blocked to ask again.";

/** What calls of tools for a task need of the task's object. */
export interface LedgerTask {
  readonly taskId: string;
  /** Commits a command and brings the task's row up to date; does nothing when it is not legal any more. */
  readonly carryOut: (command: TaskCommand) => Promise<void>;
}

/** Calls of tools that are made for a task beside its agent's own steps, and paid from its budget. */
export class BudgetLedger {
  readonly #desk: LedgerTask;
  readonly #tickets = new OpenReservations();
  readonly #ofStep: CallReservation[] = [];

  constructor(desk: LedgerTask) {
    this.#desk = desk;
  }

  async reserve(
    task: Task,
    priceMax: number,
    blocks: boolean,
  ): Promise<Result<TaskCallReservation, Failure>> {
    if (task.status !== "in_progress") return fail(illegalTransition(task, "spend"));
    const ticket = this.#tickets.reserve(task, priceMax, Date.now());
    if (!ticket.ok) return fail(await this.#overBudget(task, ticket.failure, blocks));
    return ok({ ...ticket.value, blocks });
  }

  async pay(reserved: TaskCallReservation, call: ToolCall): Promise<void> {
    this.#tickets.release(reserved);
    await this.#desk.carryOut({ type: "spend", calls: [call] });
  }

  async release(
    task: Task | null,
    reserved: TaskCallReservation,
    tooDear: boolean,
  ): Promise<Failure | null> {
    this.#tickets.release(reserved);
    if (!tooDear || task === null) return null;
    return this.#overBudget(task, costLimitQuestion(task.budget), reserved.blocks);
  }

  /** The purse of one step of the task's own agent; `live` is the task as it stands at each call. */
  stepBudget(live: () => Task): StepBudget {
    return {
      reserve: (priceMax) => {
        const ticket = this.#tickets.reserve(live(), priceMax, Date.now());
        if (ticket.ok) this.#ofStep.push(ticket.value);
        return ticket;
      },
      commit: (reserved, cost) => this.#tickets.commit(reserved, cost, Date.now()),
      release: (reserved) => this.#tickets.release(reserved),
    };
  }

  /** The log has the step's calls now. */
  endStep(): void {
    for (const reserved of this.#ofStep.splice(0)) this.#tickets.release(reserved);
  }

  /** People who answered the question without raising the budget are not asked again. */
  async #overBudget(task: Task, question: string, blocks: boolean): Promise<Failure> {
    const { attempt } = task;
    const isAnswered = task.answers.some((answer) => answer.question === question);
    if (blocks && !isAnswered) {
      const data = { kind: "budget" as const, question, calls: [], work: {} };
      await this.#desk.carryOut({ type: "block", attempt, data });
    }
    const reason = isAnswered ? NOT_RAISED : question;
    return { kind: "task_budget_exceeded", taskId: this.#desk.taskId, question: reason };
  }
}
