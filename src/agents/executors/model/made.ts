import { below, type Problem } from "../../../domain/problem.ts";
import type { Deliverable, Task } from "../../../domain/task.ts";
import type { TurnHands } from "../contract.ts";
import type { Functions } from "./functions.ts";

/** What the calls of a turn can reach. */
export interface Bench {
  readonly task: Task;
  readonly hands: TurnHands;
  readonly functions: Functions;
  readonly signal: AbortSignal;
  /** Names of the files that were delivered so far. */
  readonly fileNames: ReadonlySet<string>;
}

/** What came of one call, as the model is told it. */
export interface Made {
  readonly result: string;
  readonly isForeign: boolean;
  /** No function could take it. */
  readonly isBad: boolean;
  readonly isOk: boolean;
  readonly file: Deliverable | null;
  /** The capability that it has used. */
  readonly used: string | null;
}

export function told(result: string): Made {
  return { result, isForeign: false, isBad: false, isOk: false, file: null, used: null };
}

export function bad(result: string): Made {
  return { ...told(result), isBad: true };
}

/** The answer to arguments that a function of ours does not take. */
export function problemText(name: string, problems: readonly Problem[]): string {
  const texts = below("arguments", problems).map(({ path, message }) => `${path} ${message}`);
  return `${name} was not carried out: ${texts.slice(0, PROBLEMS_MAX).join("; ")}.`;
}

const PROBLEMS_MAX = 10;
