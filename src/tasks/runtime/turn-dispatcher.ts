import type { TurnOutcome } from "../../executors/contract.ts";
import { log } from "../../platform/log.ts";
import { withTimeout } from "../../platform/promises.ts";
import { currentRequestId } from "../../platform/request-id.ts";
import { OUTBOX_RETRY_MS, OUTBOX_TIMEOUT_MS, TURN_FAILURES_MAX } from "../limits.ts";
import { isActive, type Task, type TaskError } from "../model/task.ts";
import type { TaskCommand } from "../model/command.ts";
import {
  createNextTurn,
  isCurrentTurn,
  isExpectedTurn,
  markTurnStarted,
  scheduleResend,
  type DispatchedTurn,
  type ExecutorTurn,
  type TurnMessage,
} from "../model/turn.ts";
import type { TurnProgress } from "../task.rpc.ts";
import { toHoldCommand, toStepCommand } from "./advance-task.ts";
import { isCheckDue } from "./no-progress-breaker.ts";
import type { SideState } from "./side-state.store.ts";
import type { TaskStore } from "./task.store.ts";

/**
 * Dispatches the turns of models and A2A agents. One turn at a time is sent to the turn queue, and it is sent again if
 * no outcome arrives. The next turn is committed together with the outcome of the previous one.
 */
export class TurnDispatcher {
  readonly #turns: Env["TURNS"];
  readonly #taskId: string;
  readonly #store: TaskStore;

  constructor(turns: Env["TURNS"], taskId: string, store: TaskStore) {
    this.#turns = turns;
    this.#taskId = taskId;
    this.#store = store;
  }

  /** Starts a turn and returns the task. A message can arrive twice, but only the first one starts the turn. */
  begin(turn: ExecutorTurn): Task | null {
    const task = this.#loadAwaiting(turn);
    const sent = this.#store.sideState.get("turn");
    if (task === null || sent === null || sent.hasBegun) return null;
    this.#saveTurn(markTurnStarted(sent, Date.now()));
    // The message arrived, so the turn queue is working.
    this.#store.sideState.endOutage();
    return task;
  }

  isExpected(turn: ExecutorTurn): boolean {
    return this.#loadAwaiting(turn) !== null;
  }

  progress(turn: ExecutorTurn, progress: TurnProgress): boolean {
    const task = this.#loadAwaiting(turn);
    if (task === null) return false;
    const data = { ...progress, calls: [] };
    return this.#store.commit([{ type: "progress", attempt: task.attempt, data }]).ok;
  }

  async end(turn: ExecutorTurn, outcome: TurnOutcome): Promise<void> {
    const { use } = outcome;
    const spend: TaskCommand[] = use === undefined ? [] : [{ type: "spend", calls: [], use }];
    const task = this.#loadAwaiting(turn, spend);
    if (task === null) {
      // The outcome is too late, but its usage is still charged unless the task has ended.
      if (this.#store.load() !== null) this.#store.commit(spend);
    } else if (outcome.kind === "again") {
      await this.#retry(task, spend, outcome);
    } else if (outcome.kind === "hold") {
      this.#store.commit([...spend, toHoldCommand(task.attempt, outcome)]);
    } else {
      const command = toStepCommand(task.attempt, outcome, [], use);
      // A block continues at once if what it waits for has been decided.
      const mayContinue = outcome.kind === "progress" || outcome.kind === "block";
      if (mayContinue) await this.#sendNext([command], 0, false);
      else this.#store.commit([command]);
    }
  }

  /**
   * Sends the turn that is due: the first one, the same one again if it has not started, or the next one after a lost
   * turn.
   */
  async dispatch(): Promise<void> {
    const task = this.#store.load();
    if (task === null) return;
    const sent = this.#store.sideState.get("turn");
    const now = Date.now();
    const isLost = isCurrentTurn(task, sent);
    if (isLost && !sent.hasBegun) return this.#resend(scheduleResend(sent, now));
    if (isLost && sent.faults >= TURN_FAILURES_MAX - 1) {
      return this.#fail(
        task,
        [],
        "The agent's turns were lost repeatedly. They started but returned no result.",
      );
    }
    await this.#resend(createNextTurn(task, sent, { afterMs: 0, isFailure: isLost }, now));
  }

  async #retry(
    task: Task,
    spend: readonly TaskCommand[],
    outcome: Extract<TurnOutcome, { kind: "again" }>,
  ): Promise<void> {
    const { afterMs, failure } = outcome;
    const use = outcome.use === undefined ? {} : { use: outcome.use };
    const failures = this.#store.sideState.get("turn")?.faults ?? 0;
    if (failure === null) return this.#sendNext(spend, afterMs, false);
    if (failures >= TURN_FAILURES_MAX - 1) return this.#fail(task, spend, failure);
    const error: TaskError = { code: "AGENT_ERROR", message: failure, retryable: true };
    await this.#sendNext([{ type: "spend", calls: [], ...use, error }], afterMs, true);
  }

  #fail(task: Task, spend: readonly TaskCommand[], message: string): void {
    const error: TaskError = { code: "AGENT_ERROR", message, retryable: true };
    const { attempt } = task;
    this.#store.commit([...spend, { type: "fail", attempt, error, calls: [] }]);
  }

  /** Commits commands together with the next turn, and sends the turn. If sending fails, the alarm retries. */
  async #sendNext(
    commands: readonly TaskCommand[],
    afterMs: number,
    isFailure: boolean,
  ): Promise<void> {
    const { sideState } = this.#store;
    const before = sideState.get("turn");
    const writeSideState = (task: Task): void => {
      if (!isActive(task)) return;
      sideState.put("turn", createNextTurn(task, before, { afterMs, isFailure }, Date.now()));
    };
    const decided = this.#store.commit(commands, { writeSideState });
    const next = sideState.get("turn");
    if (!decided.ok || next === null || next === before) return;
    // The alarm checks the task, and then sends the turn.
    if (isCheckDue(this.#store, decided.value.task)) return this.#markUnsent(next, Date.now());
    try {
      await this.#send(next, afterMs);
    } catch (error) {
      log.warn("turn_send_failed", { taskId: this.#taskId, error });
      this.#markUnsent(next, Date.now() + OUTBOX_RETRY_MS);
    }
  }

  /**
   * Sends a turn that is due. If sending fails, the turn is due again immediately, and the outage backoff determines
   * the pause.
   */
  async #resend(turn: DispatchedTurn): Promise<void> {
    this.#saveTurn(turn);
    try {
      await this.#send(turn, 0);
    } catch (error) {
      this.#markUnsent(turn, Date.now());
      throw error;
    }
  }

  /**
   * Marks a turn as not sent, unless it has changed. Even if sending fails, the message may have been delivered and the
   * turn may have started or ended.
   */
  #markUnsent(turn: DispatchedTurn, lostAt: number): void {
    if (this.#store.sideState.get("turn") === turn) this.#saveTurn({ ...turn, lostAt });
  }

  #saveTurn(turn: DispatchedTurn): void {
    this.#store.commit([], { writeSideState: () => this.#store.sideState.put("turn", turn) });
  }

  async #send({ openedSeq, number }: DispatchedTurn, afterMs: number): Promise<void> {
    const turn: ExecutorTurn = { openedSeq, number };
    await sendTurnMessage(this.#turns, { kind: "turn", taskId: this.#taskId, turn }, afterMs);
  }

  /** Returns the task if it is waiting for this turn. `usage`: as in `enforceTimeLimits`. */
  #loadAwaiting(turn: ExecutorTurn, usage: readonly TaskCommand[] = []): Task | null {
    const task = this.#store.enforceTimeLimits(usage);
    if (task === null || !isActive(task)) return null;
    return isExpectedTurn(task, this.#store.sideState.get("turn"), turn) ? task : null;
  }
}

/** Sends cancellations of an A2A agent's abandoned work to the turn queue. */
export class CancellationTarget {
  readonly #turns: Env["TURNS"];
  readonly #taskId: string;
  readonly #sideState: SideState;

  constructor(turns: Env["TURNS"], taskId: string, sideState: SideState) {
    this.#turns = turns;
    this.#taskId = taskId;
    this.#sideState = sideState;
  }

  isBehind(): boolean {
    return this.#sideState.get("abandoned") !== null;
  }

  async publish(): Promise<void> {
    const abandoned = this.#sideState.get("abandoned");
    if (abandoned === null) return;
    try {
      await sendTurnMessage(this.#turns, { kind: "cancel", taskId: this.#taskId, abandoned }, 0);
      if (this.#sideState.get("abandoned") === abandoned) this.#sideState.delete("abandoned");
    } catch (error) {
      log.warn("cancellation_send_failed", { taskId: this.#taskId, error });
    }
  }
}

/**
 * Sends a message with a time limit, because the alarm run that enforces deadlines may be waiting for the send to end.
 */
async function sendTurnMessage(
  turns: Env["TURNS"],
  body: TurnMessage,
  afterMs: number,
): Promise<void> {
  const delaySeconds = Math.ceil(afterMs / 1_000);
  const requestId = currentRequestId();
  const message = requestId === null ? body : { ...body, requestId };
  await withTimeout(OUTBOX_TIMEOUT_MS, turns.send(message, { delaySeconds }));
}
