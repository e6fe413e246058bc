import type { TurnOutcome } from "../../executors/contract.ts";
import type { Task, TaskError } from "../model/task.ts";
import type { TaskCommand } from "../model/command.ts";
import { PROJECTION_RETRY_MS, TURN_FAILURES_MAX } from "../limits.ts";
import { isActive } from "../model/slot.ts";
import {
  markTurnStarted,
  isExpectedTurn,
  isCurrentTurn,
  createNextTurn,
  scheduleResend,
  type DispatchedTurn,
  type ExecutorTurn,
} from "../model/turn.ts";
import type { SideState } from "./side-state.store.ts";
import { toStepCommand } from "./step-command.ts";
import type { TurnProgress } from "../task.rpc.ts";
import type { TaskStore } from "./task.store.ts";
import { sendTurnMessage } from "./turn-message.ts";
import { log } from "../../platform/log.ts";

/**
 * The turns of an agent that waits for systems elsewhere: one at a time is sent to the queue of turns,
 * and one that does not come back is sent again. Where a turn ends, the next is committed with it.
 */
export class TurnDispatcher {
  readonly #turns: Env["TURNS"];
  readonly #taskId: string;
  readonly #record: TaskStore;
  readonly #beside: SideState;

  constructor(turns: Env["TURNS"], taskId: string, record: TaskStore, beside: SideState) {
    this.#turns = turns;
    this.#taskId = taskId;
    this.#record = record;
    this.#beside = beside;
  }

  /** Messages can come twice: of those that do the turn only the first may. */
  begin(turn: ExecutorTurn): Task | null {
    const task = this.#awaiting(turn);
    const sent = this.#beside.get("turn");
    if (task === null || sent === null || sent.hasBegun) return null;
    const beside = (): void => this.#beside.put("turn", markTurnStarted(sent, Date.now()));
    this.#record.commit([], { beside });
    return task;
  }

  isExpected(turn: ExecutorTurn): boolean {
    return this.#awaiting(turn) !== null;
  }

  progress(turn: ExecutorTurn, progress: TurnProgress): boolean {
    const task = this.#awaiting(turn);
    if (task === null) return false;
    const data = { ...progress, calls: [] };
    return this.#record.commit([{ type: "progress", attempt: task.attempt, data }]).ok;
  }

  async end(turn: ExecutorTurn, outcome: TurnOutcome): Promise<void> {
    const { use } = outcome;
    const spend: TaskCommand[] = use === undefined ? [] : [{ type: "spend", calls: [], use }];
    const task = this.#awaiting(turn);
    if (task === null) {
      // It came too late; what it has used is used all the same.
      if (this.#record.load() !== null) this.#record.commit(spend);
    } else if (outcome.kind === "again") {
      await this.#again(task, spend, outcome);
    } else {
      const command = toStepCommand(task.attempt, outcome, [], use);
      if (outcome.kind === "progress") await this.#send([command], 0, false);
      else this.#record.commit([command]);
    }
  }

  /** Sends the turn that is due: the first, the same again that nobody has begun, or the next after a lost one. */
  async dispatch(): Promise<void> {
    const task = this.#record.load();
    if (task === null) return;
    const sent = this.#beside.get("turn");
    const now = Date.now();
    if (isCurrentTurn(task, sent) && !sent.hasBegun) return this.#resend(scheduleResend(sent, now));
    const isLost = isCurrentTurn(task, sent);
    if (isLost && sent.faults >= TURN_FAILURES_MAX - 1) {
      return this.#fail(task, [], "Turns of the work were lost again and again.");
    }
    await this.#resend(createNextTurn(task, sent, { afterMs: 0, isFault: isLost }, now));
  }

  /** Word to the agent elsewhere that its work is not wanted any more. */
  async sendCancellation(): Promise<void> {
    const abandoned = this.#beside.get("abandoned");
    if (abandoned === null) return;
    try {
      await sendTurnMessage(this.#turns, { kind: "cancel", taskId: this.#taskId, abandoned }, 0);
      if (this.#beside.get("abandoned") === abandoned) this.#beside.delete("abandoned");
    } catch (fault) {
      log.warn("cancellation_send_failed", { taskId: this.#taskId, error: fault });
    }
  }

  hasUnsentCancellation(): boolean {
    return this.#beside.get("abandoned") !== null;
  }

  async #again(
    task: Task,
    spend: readonly TaskCommand[],
    outcome: Extract<TurnOutcome, { kind: "again" }>,
  ): Promise<void> {
    const { afterMs, fault } = outcome;
    const use = outcome.use === undefined ? {} : { use: outcome.use };
    const faults = this.#beside.get("turn")?.faults ?? 0;
    if (fault === null) return this.#send(spend, afterMs, false);
    if (faults >= TURN_FAILURES_MAX - 1) return this.#fail(task, spend, fault);
    const error: TaskError = { code: "AGENT_ERROR", message: fault, retryable: true };
    await this.#send([{ type: "spend", calls: [], ...use, error }], afterMs, true);
  }

  #fail(task: Task, spend: readonly TaskCommand[], message: string): void {
    const error: TaskError = { code: "AGENT_ERROR", message, retryable: true };
    const { attempt } = task;
    this.#record.commit([...spend, { type: "fail", attempt, error, calls: [] }]);
  }

  /** Commits commands with the turn that follows them, and sends it; the alarm sends again what does not go. */
  async #send(commands: readonly TaskCommand[], afterMs: number, isFault: boolean): Promise<void> {
    const committed: { next: DispatchedTurn | null } = { next: null };
    const beside = (task: Task): void => {
      if (!isActive(task)) return;
      const next = createNextTurn(task, this.#beside.get("turn"), { afterMs, isFault }, Date.now());
      this.#beside.put("turn", next);
      committed.next = next;
    };
    const decided = this.#record.commit(commands, { beside });
    const { next } = committed;
    if (!decided.ok || next === null) return;
    try {
      await this.#post(next, afterMs);
    } catch (fault) {
      log.warn("turn_send_failed", { taskId: this.#taskId, error: fault });
      const lostAt = Date.now() + PROJECTION_RETRY_MS;
      this.#dueAgain(next, lostAt);
      this.#record.alarm.set(lostAt);
    }
  }

  /** A turn that cannot be sent is due at once: how long it pauses is for the fault's spell to say. */
  async #resend(turn: DispatchedTurn): Promise<void> {
    this.#record.commit([], { beside: () => this.#beside.put("turn", turn) });
    try {
      await this.#post(turn, 0);
    } catch (fault) {
      this.#dueAgain(turn, Date.now());
      throw fault;
    }
  }

  /** Unless it went out all the same, and has begun or even ended. */
  #dueAgain(turn: DispatchedTurn, lostAt: number): void {
    if (this.#beside.get("turn") !== turn) return;
    this.#beside.put("turn", { ...turn, lostAt });
  }

  async #post({ openedSeq, number }: DispatchedTurn, afterMs: number): Promise<void> {
    const turn: ExecutorTurn = { openedSeq, number };
    await sendTurnMessage(this.#turns, { kind: "turn", taskId: this.#taskId, turn }, afterMs);
  }

  /** The task, while it waits for this very turn. */
  #awaiting(turn: ExecutorTurn): Task | null {
    const task = this.#record.loadCurrent();
    if (task === null || !isActive(task)) return null;
    return isExpectedTurn(task, this.#beside.get("turn"), turn) ? task : null;
  }
}
