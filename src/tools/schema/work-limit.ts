import { fail, ok, type Result } from "../../kernel/result.ts";

/** Counts work done; called with the units (about a microsecond each) that the next piece takes. */
export type SpendUnits = (units: number) => void;

class WorkExceeded extends Error {}

/**
 * Runs `work` until it has spent more than `unitsMax`; then, or when it recursed too deep, it fails.
 * The libraries can only be stopped from inside by an exception, which never leaves this function.
 */
export function runMetered<Value>(
  unitsMax: number,
  work: (spend: SpendUnits) => Value,
): Result<Value, "work_exceeded"> {
  let spent = 0;
  function spend(units: number): void {
    spent += units;
    if (spent > unitsMax) throw new WorkExceeded();
  }
  try {
    return ok(work(spend));
  } catch (error) {
    if (isWorkExceeded(error)) return fail("work_exceeded");
    throw error;
  }
}

/** Whether a caught error must go on to the enclosing `metered`. */
export function isWorkExceeded(error: unknown): boolean {
  return error instanceof WorkExceeded || error instanceof RangeError;
}
