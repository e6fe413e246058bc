import {
  STEP_FAULTS_MAX,
  STEP_FAULT_BACKOFF_MAX_MS,
  STEP_FAULT_BACKOFF_MIN_MS,
} from "../domain/limits.ts";
import type { TaskError } from "../domain/task.ts";
import { FileStoreFault } from "./hands.ts";

/** The pause after so many faults in a row: doubling from one second to a minute. */
export function faultBackoffMs(faults: number): number {
  return Math.min(STEP_FAULT_BACKOFF_MIN_MS * 2 ** (faults - 1), STEP_FAULT_BACKOFF_MAX_MS);
}

/** The error of an attempt that met too many faults in a row; null while it may go on trying. */
export function faultError(fault: unknown, faults: number): TaskError | null {
  if (faults < STEP_FAULTS_MAX) return null;
  if (fault instanceof FileStoreFault) {
    return { code: "DELIVERABLE_STORE_FAILED", message: fault.message, retryable: true };
  }
  const message = `The work was given up after ${faults} faults of the platform in a row.`;
  return { code: "INTERNAL_ERROR", message, retryable: true };
}
