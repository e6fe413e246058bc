import type { JsonObject } from "../../kernel/json.ts";
import { TURN_LOST_AFTER_MS, TURN_RESEND_MAX_MS, TURN_RESEND_MIN_MS } from "../limits.ts";
import type { Task } from "./task.ts";

/** One turn of an agent that waits for systems elsewhere: the `number`-th since it was set to work. */
export interface ExecutorTurn {
  /** The event that set the agent to work: turns of work that is over belong to nothing. */
  readonly openedSeq: number;
  readonly number: number;
}

/** A turn that is on its way. Instants in milliseconds since 1970. */
export interface DispatchedTurn extends ExecutorTurn {
  readonly sentAt: number;
  /** Whether somebody does it; until then it may lie in the queue of turns behind others. */
  readonly hasBegun: boolean;
  /** When it is sent again: under the same number while nobody has begun it, else as the next. */
  readonly lostAt: number;
  /** Turns in a row before it that met a fault of the system behind the agent, or were lost. */
  readonly faults: number;
}

/** Work of an A2A agent that goes on at the agent although its attempt is over. */
export interface AbandonedWork {
  readonly agentId: string;
  /** What the agent's turns left. It names the agent's own task. */
  readonly work: JsonObject;
}

/** A message of the queue of turns: a turn to run, or work to cancel at the agent. */
export type TurnMessage = {
  readonly taskId: string;
  /** The id of the request that caused the message; absent in messages of earlier releases. */
  readonly requestId?: string;
} & (
  | { readonly kind: "turn"; readonly turn: ExecutorTurn }
  | { readonly kind: "cancel"; readonly abandoned: AbandonedWork }
);

/** Whether a turn belongs to the work that is being done. */
export function isCurrentTurn(task: Task, turn: DispatchedTurn | null): turn is DispatchedTurn {
  return turn !== null && turn.openedSeq === task.workStartSeq;
}

/** Whether this turn is the one that is waited for, and not one that came back too late. */
export function isExpectedTurn(
  task: Task,
  sent: DispatchedTurn | null,
  turn: ExecutorTurn,
): sent is DispatchedTurn {
  return (
    isCurrentTurn(task, sent) && sent.openedSeq === turn.openedSeq && sent.number === turn.number
  );
}

/** The next turn, which may begin `afterMs` from now. */
export function createNextTurn(
  task: Task,
  sent: DispatchedTurn | null,
  { afterMs, isFault }: { afterMs: number; isFault: boolean },
  now: number,
): DispatchedTurn {
  const before = isCurrentTurn(task, sent) ? sent : null;
  return {
    openedSeq: task.workStartSeq,
    number: (before?.number ?? 0) + 1,
    sentAt: now + afterMs,
    hasBegun: false,
    lostAt: now + afterMs + TURN_RESEND_MIN_MS,
    faults: isFault ? (before?.faults ?? 0) + 1 : 0,
  };
}

/** The turn from the moment that somebody does it. */
export function markTurnStarted(sent: DispatchedTurn, now: number): DispatchedTurn {
  return { ...sent, hasBegun: true, lostAt: now + TURN_LOST_AFTER_MS };
}

/** The same turn once more, as nobody has begun it: each time after as long as it has waited. */
export function scheduleResend(sent: DispatchedTurn, now: number): DispatchedTurn {
  const waitedMs = Math.max(now - sent.sentAt, TURN_RESEND_MIN_MS);
  return { ...sent, lostAt: now + Math.min(waitedMs, TURN_RESEND_MAX_MS) };
}
