import type { JsonObject } from "../../kernel/json.ts";
import { TURN_LOST_AFTER_MS, TURN_RESEND_MAX_MS, TURN_RESEND_MIN_MS } from "../limits.ts";
import { isTerminal, type Task, workStartSeqOf } from "./task.ts";

/** One turn of an agent that waits for external systems. `number` counts from 1 each time the agent starts working. */
export interface ExecutorTurn {
  /**
   * The `seq` of the event that started the work. Turns of earlier work are ignored. The name is kept because earlier
   * releases stored it.
   */
  readonly openedSeq: number;
  readonly number: number;
}

/** A turn that was sent, as it is stored. Times are in milliseconds since 1970. */
export interface DispatchedTurn extends ExecutorTurn {
  readonly sentAt: number;
  /** Whether the turn has started. If not, it may still be in the queue. */
  readonly hasBegun: boolean;
  /**
   * When the turn counts as lost and is sent again: with the same number if it has not started, otherwise as the next
   * turn.
   */
  readonly lostAt: number;
  /** The number of consecutive turns before this one that failed or were lost. */
  readonly faults: number;
}

/** Work that an A2A agent may still be doing although its attempt is over. */
export interface AbandonedWork {
  readonly agentId: string;
  /** The data that the agent's turns saved. It contains the id of the agent's own task. */
  readonly work: JsonObject;
}

/** The work that an A2A agent must cancel because of a change to the task; null if there is none. */
export function abandonedWorkOf(task: Task, before: Task): AbandonedWork | null {
  if (before.terms.executor !== "a2a" || before.agentId === null) return null;
  const isGivenUp = ["cancelled", "failed"].includes(task.status) || task.attempt > before.attempt;
  if (!isGivenUp || isTerminal(before.status) || before.work["a2a"] === undefined) return null;
  return { agentId: before.agentId, work: before.work };
}

/** A message in the turn queue: a turn to run, or abandoned work to cancel at the agent. */
export type TurnMessage = {
  readonly taskId: string;
  /** The id of the request that caused the message; absent in messages from earlier releases. */
  readonly requestId?: string;
} & (
  | { readonly kind: "turn"; readonly turn: ExecutorTurn }
  | { readonly kind: "cancel"; readonly abandoned: AbandonedWork }
);

/** Whether a turn belongs to the agent's current work. */
export function isCurrentTurn(task: Task, turn: DispatchedTurn | null): turn is DispatchedTurn {
  return turn !== null && turn.openedSeq === workStartSeqOf(task);
}

/** The task with the turn that follows failed ones, if there is one. Only the dispatched turn counts failures. */
export function withRetriedTurn(task: Task, turn: DispatchedTurn | null): Task {
  if (task.status !== "in_progress" || !isCurrentTurn(task, turn) || turn.faults === 0) return task;
  return { ...task, retriedTurn: { failures: turn.faults, at: turn.sentAt } };
}

/** Whether a turn is the last one sent, rather than an earlier one that ended late. */
export function isExpectedTurn(
  task: Task,
  sent: DispatchedTurn | null,
  turn: ExecutorTurn,
): sent is DispatchedTurn {
  return (
    isCurrentTurn(task, sent) && sent.openedSeq === turn.openedSeq && sent.number === turn.number
  );
}

/** Creates the next turn, which can start `afterMs` from now. */
export function createNextTurn(
  task: Task,
  sent: DispatchedTurn | null,
  { afterMs, isFailure }: { afterMs: number; isFailure: boolean },
  now: number,
): DispatchedTurn {
  const before = isCurrentTurn(task, sent) ? sent : null;
  return {
    openedSeq: workStartSeqOf(task),
    number: (before?.number ?? 0) + 1,
    sentAt: now + afterMs,
    hasBegun: false,
    lostAt: now + afterMs + TURN_RESEND_MIN_MS,
    faults: isFailure ? (before?.faults ?? 0) + 1 : 0,
  };
}

export function markTurnStarted(sent: DispatchedTurn, now: number): DispatchedTurn {
  return { ...sent, hasBegun: true, lostAt: now + TURN_LOST_AFTER_MS };
}

/**
 * Sets the time at which a turn that has not started is sent again. The interval doubles each time, up to a maximum.
 */
export function scheduleResend(sent: DispatchedTurn, now: number): DispatchedTurn {
  const waitedMs = Math.max(now - sent.sentAt, TURN_RESEND_MIN_MS);
  return { ...sent, lostAt: now + Math.min(waitedMs, TURN_RESEND_MAX_MS) };
}
