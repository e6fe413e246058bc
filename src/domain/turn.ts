import { TURN_LOST_MS, TURN_UNHEARD_MAX_MS, TURN_UNHEARD_MIN_MS } from "./limits.ts";
import type { Task } from "./task.ts";

/** One turn of an agent that waits for systems elsewhere: the `number`-th since it was set to work. */
export interface Turn {
  /** The event that set the agent to work: turns of work that is over belong to nothing. */
  readonly openedSeq: number;
  readonly number: number;
}

/** A turn that is on its way. Instants in milliseconds since 1970. */
export interface SentTurn extends Turn {
  readonly sentAt: number;
  /** Whether somebody does it; until then it may lie in the queue of turns behind others. */
  readonly hasBegun: boolean;
  /** When it is sent again: under the same number while nobody has begun it, else as the next. */
  readonly lostAt: number;
  /** Turns in a row before it that met a fault of the system behind the agent, or were lost. */
  readonly faults: number;
}

/** Whether a turn belongs to the work that is being done. */
export function isOwnTurn(task: Task, turn: SentTurn | null): turn is SentTurn {
  return turn !== null && turn.openedSeq === task.openedSeq;
}

/** Whether this turn is the one that is waited for, and not one that came back too late. */
export function isAwaited(task: Task, sent: SentTurn | null, turn: Turn): sent is SentTurn {
  return isOwnTurn(task, sent) && sent.openedSeq === turn.openedSeq && sent.number === turn.number;
}

/** The next turn, which may begin `afterMs` from now. */
export function nextTurn(
  task: Task,
  sent: SentTurn | null,
  { afterMs, isFault }: { afterMs: number; isFault: boolean },
  now: number,
): SentTurn {
  const before = isOwnTurn(task, sent) ? sent : null;
  return {
    openedSeq: task.openedSeq,
    number: (before?.number ?? 0) + 1,
    sentAt: now + afterMs,
    hasBegun: false,
    lostAt: now + afterMs + TURN_UNHEARD_MIN_MS,
    faults: isFault ? (before?.faults ?? 0) + 1 : 0,
  };
}

/** The turn from the moment that somebody does it. */
export function begunTurn(sent: SentTurn, now: number): SentTurn {
  return { ...sent, hasBegun: true, lostAt: now + TURN_LOST_MS };
}

/** The same turn once more, as nobody has begun it: each time after as long as it has waited. */
export function resentTurn(sent: SentTurn, now: number): SentTurn {
  const waitedMs = Math.max(now - sent.sentAt, TURN_UNHEARD_MIN_MS);
  return { ...sent, lostAt: now + Math.min(waitedMs, TURN_UNHEARD_MAX_MS) };
}
