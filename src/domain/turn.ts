import { TURN_LOST_MS } from "./limits.ts";
import type { Task } from "./task.ts";

/** One turn of an agent that waits for systems elsewhere: the `number`-th since it was set to work. */
export interface Turn {
  /** The event that set the agent to work: turns of work that is over belong to nothing. */
  readonly openedSeq: number;
  readonly number: number;
}

/** A turn that is on its way. Instants in milliseconds since 1970. */
export interface SentTurn extends Turn {
  /** When it is taken for lost and sent again. */
  readonly lostAt: number;
  /** Turns in a row before it that met a fault of the system behind the agent. */
  readonly faults: number;
}

/** Whether a turn belongs to the work that is being done. */
export function isOwnTurn(task: Task, turn: SentTurn | null): turn is SentTurn {
  return turn !== null && turn.openedSeq === task.openedSeq;
}

/** Whether this turn is the one that is waited for, and not one that came back too late. */
export function isAwaited(task: Task, sent: SentTurn | null, turn: Turn): boolean {
  return isOwnTurn(task, sent) && sent.openedSeq === turn.openedSeq && sent.number === turn.number;
}

/** The next turn, which begins `afterMs` from now. */
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
    lostAt: now + afterMs + TURN_LOST_MS,
    faults: isFault ? (before?.faults ?? 0) + 1 : 0,
  };
}
