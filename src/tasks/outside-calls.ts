import { costQuestion } from "../domain/budget.ts";
import type { Command } from "../domain/commands.ts";
import type { Failure } from "../domain/failure.ts";
import { sumOf } from "../domain/money.ts";
import { fail, type Result } from "../domain/result.ts";
import type { Spend, Task, ToolCall } from "../domain/task.ts";
import { illegal } from "../domain/transitions.ts";
import type { ReservedCall } from "./port.ts";
import { Tickets } from "./tickets.ts";

/** What calls of tools for a task need of the task's object. */
export interface TaskDesk {
  readonly taskId: string;
  /** Commits a command and brings the task's row up to date; does nothing when it is not legal any more. */
  readonly carryOut: (command: Command) => Promise<void>;
}

/** Calls of tools that are made for a task beside its agent's own steps, and paid from its budget. */
export class OutsideCalls {
  readonly #desk: TaskDesk;
  readonly #tickets = new Tickets();

  constructor(desk: TaskDesk) {
    this.#desk = desk;
  }

  async reserve(task: Task, priceMax: number): Promise<Result<ReservedCall, Failure>> {
    if (task.status !== "in_progress") return fail(illegal(task, "spend"));
    const ticket = this.#tickets.take(task, priceMax, Date.now());
    return ticket.ok ? ticket : fail(await this.#overBudget(task, ticket.failure));
  }

  async pay(reserved: ReservedCall, call: ToolCall): Promise<void> {
    this.#tickets.giveBack(reserved);
    await this.#desk.carryOut({ type: "spend", call });
  }

  async release(
    task: Task | null,
    reserved: ReservedCall,
    tooDear: boolean,
  ): Promise<Failure | null> {
    this.#tickets.giveBack(reserved);
    return tooDear && task !== null ? this.#overBudget(task, costQuestion(task.budget)) : null;
  }

  /** What a task has spent, and what calls under way may still cost. */
  committed({ cost, toolCalls }: Spend): Spend {
    const reserved = this.#tickets.reserved(Date.now());
    return { cost: sumOf([cost, reserved.cost]), toolCalls: toolCalls + reserved.toolCalls };
  }

  /** People who answered the question without raising the budget are not asked again. */
  async #overBudget(task: Task, question: string): Promise<Failure> {
    const { attempt } = task;
    if (!task.answers.some((answer) => answer.question === question)) {
      const data = { kind: "budget" as const, question, calls: [], work: {} };
      await this.#desk.carryOut({ type: "block", attempt, data });
    }
    return { kind: "task_budget_exceeded", taskId: this.#desk.taskId, question };
  }
}
