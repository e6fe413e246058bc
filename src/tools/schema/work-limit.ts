import type { RE2JS } from "re2js";
import { fail, ok, type Result } from "../../kernel/result.ts";

/** Counts work in units of about a microsecond. Call it before each step. */
export type SpendUnits = (units: number) => void;

class WorkExceeded extends Error {}

/**
 * Runs `work`, and fails if it spends more than `unitsMax` or recurses too deeply. Throws internally, because only an
 * exception can stop a library.
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
    if (error instanceof WorkExceeded || error instanceof RangeError) return fail("work_exceeded");
    throw error;
  }
}

// Measured in the worst case: 16 ns to run an instruction on a character, 4 µs to compile an instruction.
const STEPS_PER_UNIT = 100;
const UNITS_PER_INSTRUCTION = 4;

export function computeCompileUnits(pattern: RE2JS): number {
  return pattern.programSize() * UNITS_PER_INSTRUCTION;
}

export function computeTestUnits(pattern: RE2JS, text: string): number {
  return 1 + (text.length * pattern.programSize()) / STEPS_PER_UNIT;
}
