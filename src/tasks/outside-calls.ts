import { costQuestion } from "../domain/budget.ts";
import type { Command } from "../domain/commands.ts";
import type { Failure } from "../domain/failure.ts";
import { fail, ok, type Result } from "../domain/result.ts";
import type { Task, ToolCall } from "../domain/task.ts";
import { illegal } from "../domain/transitions.ts";
import type { ReservedCall } from "./port.ts";
import { Tickets, type Ticket } from "./tickets.ts";

const NOT_RAISED =
  "The budget is used up, and the answer to the budget question did not raise it. Finish with the existing results, or report the task as blocked to ask again.";

/** What calls of tools for a task need of the task's object. */
export interface TaskDesk {
  readonly taskId: string;
  /** Commits a command and brings the task's row up to date; does nothing when it is not legal any more. */
  readonly carryOut: (command: Command) => Promise<void>;
}

/** What pays for the calls of one step: the same budget, which sees them before the log does. */
export interface StepPurse {
  take(priceMax: number): Result<Ticket, string>;
  keep(reserved: Ticket, cost: number): void;
  giveBack(reserved: Ticket): void;
}

/** Calls of tools that are made for a task beside its agent's own steps, and paid from its budget. */
export class OutsideCalls {
  readonly #desk: TaskDesk;
  readonly #tickets = new Tickets();
  readonly #ofStep: Ticket[] = [];

  constructor(desk: TaskDesk) {
    this.#desk = desk;
  }

  async reserve(
    task: Task,
    priceMax: number,
    blocks: boolean,
  ): Promise<Result<ReservedCall, Failure>> {
    if (task.status !== "in_progress") return fail(illegal(task, "spend"));
    const ticket = this.#tickets.take(task, priceMax, Date.now());
    if (!ticket.ok) return fail(await this.#overBudget(task, ticket.failure, blocks));
    return ok({ ...ticket.value, blocks });
  }

  async pay(reserved: ReservedCall, call: ToolCall): Promise<void> {
    this.#tickets.giveBack(reserved);
    await this.#desk.carryOut({ type: "spend", calls: [call] });
  }

  async release(
    task: Task | null,
    reserved: ReservedCall,
    tooDear: boolean,
  ): Promise<Failure | null> {
    this.#tickets.giveBack(reserved);
    if (!tooDear || task === null) return null;
    return this.#overBudget(task, costQuestion(task.budget), reserved.blocks);
  }

  /** The purse of one step of the task's own agent; `live` is the task as it stands at each call. */
  stepPurse(live: () => Task): StepPurse {
    return {
      take: (priceMax) => {
        const ticket = this.#tickets.take(live(), priceMax, Date.now());
        if (ticket.ok) this.#ofStep.push(ticket.value);
        return ticket;
      },
      keep: (reserved, cost) => this.#tickets.keep(reserved, cost, Date.now()),
      giveBack: (reserved) => this.#tickets.giveBack(reserved),
    };
  }

  /** The log has the step's calls now. */
  endStep(): void {
    for (const reserved of this.#ofStep.splice(0)) this.#tickets.giveBack(reserved);
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
