import { fail, ok, type Result } from "../../kernel/result.ts";

/** Counts work in units of about a microsecond, before each piece of work. */
export type SpendUnits = (units: number) => void;

class WorkExceeded extends Error {}

/** Runs `work`; fails if it spends more than `unitsMax` or recurses too deep. Libraries stop only by an exception. */
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

/** Whether a caught error must be rethrown to the enclosing runMetered. */
export function isWorkExceeded(error: unknown): boolean {
  return error instanceof WorkExceeded || error instanceof RangeError;
}
