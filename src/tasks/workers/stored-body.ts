import { createFieldFailure, type Failure } from "../../kernel/failure.ts";

/** A stored body: `size` in bytes, `sha256` in hex. */
export interface StoredBody {
  readonly size: number;
  readonly sha256: string;
}

/** The failure of an incomplete body, which is not stored. */
export function interruptedUpload(bytesRead: number): Failure {
  return incompleteUpload(`it broke off after ${bytesRead} bytes`);
}

export function incompleteUpload(reason: string): Failure {
  return createFieldFailure("body", `must be the whole file: ${reason}`);
}
