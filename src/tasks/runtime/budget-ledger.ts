import type { Failure } from "../../kernel/failure.ts";
import { sumDollars } from "../../kernel/units.ts";
import { fail, ok, type Result } from "../../kernel/result.ts";
import { CALL_LOST_AFTER_MS } from "../../tools/limits.ts";
import type { CallBudget } from "../../tools/model/invocation.ts";
import type { CallRecord, RejectedCall, ReservedCall, StartedCall } from "../model/call-record.ts";
import { recordCallEnd, recordRejection, recordStartedCall } from "../record-call.ts";
import { pendingApprovalIds } from "../model/approvals.ts";
import { spendAt } from "../model/agent-cost.ts";
import { costLimitQuestion, reserveFromBudget } from "../model/budget.ts";
import { illegalTransition } from "../model/guards.ts";
import { hasAnswer, isTerminal, type Task, type TaskSpend, type ToolCall } from "../model/task.ts";
import type { TaskCommand } from "../model/command.ts";
import type { TaskCallReservation } from "../task.rpc.ts";
import type { Outbox } from "./outbox.ts";
import type { TaskStore } from "./task.store.ts";

const NOT_RAISED =
  "The budget is used up, and the answer to the budget question did not raise it. Finish with the existing results, or report the task as blocked to ask again.";

/** `callId` is null if the call is not recorded. `at`: when the reservation was made. */
interface OpenReservation {
  readonly price: number;
  readonly at: number;
  readonly callId: string | null;
}

const STEP_ORIGIN = { source: "step", keyId: null, turn: null } as const;

/**
 * Reserves budget for calls that are not in the task's log yet. Reservations are kept in memory, so a crash releases
 * them. A call that outlives the crash is still logged.
 */
export class BudgetLedger {
  readonly #taskId: string;
  readonly #store: TaskStore;
  readonly #outbox: Outbox;
  readonly #open = new Map<string, OpenReservation>();

  constructor(taskId: string, store: TaskStore, outbox: Outbox) {
    this.#taskId = taskId;
    this.#store = store;
    this.#outbox = outbox;
  }

  /**
   * Reserves budget for a call made outside the object. `blocks`: whether to block the task if the budget is used up.
   * Records the call if it is rejected. `call`: null if the call is not recorded.
   */
  async reserve(
    task: Task,
    priceMax: number,
    blocks: boolean,
    call: ReservedCall | null,
  ): Promise<Result<TaskCallReservation, Failure>> {
    if (task.status !== "in_progress") {
      const failure = illegalTransition(task, "spend");
      this.reject(task, call?.started ?? null, failure);
      return fail(failure);
    }
    const reserved = this.#reserve(task, priceMax, call);
    if (reserved.ok) return ok({ ...reserved.value, blocks });
    const failure = await this.#overBudget(task, task.attempt, reserved.failure, blocks);
    this.reject(task, call?.started ?? null, failure);
    return fail(failure);
  }

  /** Reserves budget for an approved call, for which the task still waits. It never blocks the task again. */
  async reserveApproved(
    task: Task,
    priceMax: number,
    call: ReservedCall | null,
    approvalId: string,
  ): Promise<Result<TaskCallReservation, Failure>> {
    const isAwaited = !isTerminal(task.status) && pendingApprovalIds(task).includes(approvalId);
    const reserved = isAwaited ? this.#reserve(task, priceMax, call) : null;
    if (reserved?.ok === true) return ok({ ...reserved.value, blocks: false });
    const failure =
      reserved === null
        ? illegalTransition(task, "spend")
        : await this.#overBudget(task, task.attempt, reserved.failure, false);
    this.reject(task, call?.started ?? null, failure);
    return fail(failure);
  }

  /** Records a rejected call. `started`: null if the call is not recorded. */
  reject(task: Task, started: StartedCall | null, failure: Failure): void {
    if (started !== null) this.recordRejected(task, { ...started, end: recordRejection(failure) });
  }

  /** Records a rejected call, unless the task has ended. */
  recordRejected({ status, attempt, seq }: Task, call: RejectedCall): void {
    if (!isTerminal(status)) this.#store.log.calls.reject({ ...call, attempt }, seq);
  }

  /** Logs the cost of a call that was made, unless the task has ended. Stores the call's record in any case. */
  async commit(
    { reservationId }: Pick<TaskCallReservation, "reservationId">,
    call: ToolCall,
    record: CallRecord | null,
  ): Promise<void> {
    this.#open.delete(reservationId);
    if (record !== null) this.#store.log.calls.end(record);
    await this.#commitCommand({ type: "spend", calls: [call] }, record);
  }

  /**
   * Releases the reservation of a call that was not made, and records the rejected call. Returns a failure if the call
   * was too expensive.
   */
  async release(
    { reservationId, blocks, attempt }: TaskCallReservation,
    isTooExpensive: boolean,
    record: CallRecord | null,
  ): Promise<Failure | null> {
    const task = this.#store.enforceTimeLimits();
    this.#open.delete(reservationId);
    if (task === null) return null;
    const failure = isTooExpensive
      ? await this.#overBudget(task, attempt, costLimitQuestion(task.budget), blocks)
      : null;
    if (record !== null) {
      const end = failure === null ? {} : { end: recordRejection(failure) };
      this.#store.log.calls.reject({ ...record, ...end }, task.seq);
    }
    return failure;
  }

  /**
   * Begins a step inside the object. `load` returns the current task. `end` releases the reservations of the step's
   * calls, which must already be in the log. Calls that end later are logged and released one by one.
   */
  beginStep(load: () => Task): { readonly budget: CallBudget; readonly end: () => void } {
    const paid: string[] = [];
    const callIds: string[] = [];
    let isOver = false;
    const toFailure = (question: string): Failure => {
      return { kind: "task_budget_exceeded", taskId: this.#taskId, question };
    };
    // If the step's event lists the call, the event's row contains the record.
    const recordInStep = (record: CallRecord): void => {
      this.#store.log.calls.end(record);
      if (isOver) return this.#store.log.calls.settle(record.id, load().seq);
      callIds.push(record.id);
    };
    const budget: CallBudget = {
      reserve: async ({ priceMax, isSafe }, call) => {
        const started = await recordStartedCall(call, STEP_ORIGIN);
        // A step that timed out may still be running.
        if (isOver) throw new Error("A step must not make calls after it has ended");
        const task = load();
        const reserved = this.#reserve(task, priceMax, { started, isSafe });
        if (!reserved.ok) {
          const failure = toFailure(reserved.failure);
          this.reject(task, started, failure);
          return fail(failure);
        }
        const { reservationId, costMax, attempt } = reserved.value;
        return ok({
          costMax,
          // The reservation holds the cost of the call until the step's calls are logged.
          commit: async (paidCall, outcome) => {
            const isLate = isOver;
            if (!isLate) {
              const { id: callId } = started;
              this.#open.set(reservationId, { price: paidCall.cost, at: Date.now(), callId });
              paid.push(reservationId);
            }
            const record = { ...started, attempt, end: await recordCallEnd(paidCall, outcome) };
            if (isLate) await this.commit(reserved.value, paidCall, record);
            else recordInStep(record);
          },
          release: async (isTooExpensive, failure) => {
            this.#open.delete(reservationId);
            const overBudget = isTooExpensive ? toFailure(costLimitQuestion(load().budget)) : null;
            recordInStep({ ...started, attempt, end: recordRejection(overBudget ?? failure) });
            return overBudget;
          },
        });
      },
      reject: async (call, failure) => {
        const started = await recordStartedCall(call, STEP_ORIGIN);
        const { attempt } = load();
        recordInStep({ ...started, attempt, end: recordRejection(failure) });
      },
    };
    const end = (): void => {
      isOver = true;
      for (const id of paid) this.#open.delete(id);
      for (const id of callIds) this.#store.log.calls.settle(id, load().seq);
    };
    return { budget, end };
  }

  /** Reserves one more call, or returns the question to ask if no tool calls are left. */
  #reserve(
    task: Task,
    priceMax: number,
    call: ReservedCall | null,
  ): Result<Omit<TaskCallReservation, "blocks">, string> {
    const now = Date.now();
    const spend = spendAt(task, now);
    const reserved = reserveFromBudget(task.budget, spend, this.#reservedSpend(now), priceMax);
    if (!reserved.ok) return reserved;
    const { costMax, price } = reserved.value;
    const reservationId = crypto.randomUUID();
    const { attempt, seq } = task;
    this.#open.set(reservationId, { price, at: now, callId: call?.started.id ?? null });
    if (call !== null) {
      this.#store.log.calls.start({ ...call.started, attempt }, seq, call.isSafe);
    }
    return ok({ reservationId, costMax, attempt });
  }

  /** The number and maximum cost of the open calls. A call that does not report its end in time is dropped. */
  #reservedSpend(now: number): TaskSpend {
    for (const [id, { at, callId }] of this.#open) {
      if (at > now - CALL_LOST_AFTER_MS) continue;
      this.#open.delete(id);
      if (callId !== null) this.#store.log.calls.markLost(callId);
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

  /**
   * Commits a command and publishes the change. Does nothing if the command is no longer legal. `record`: of the call
   * that the command charges.
   */
  async #commitCommand(command: TaskCommand, record: CallRecord | null = null): Promise<void> {
    const decided = this.#store.commit([command]);
    if (record !== null) {
      this.#store.log.calls.settle(record.id, this.#store.load()?.seq ?? 0);
    }
    if (decided.ok) await this.#outbox.publish(decided.value.task);
  }
}
