import { invalid, type Failure } from "../../domain/failure.ts";

/** A body as it was stored: `size` in bytes, `sha256` in hex. */
export interface StoredBody {
  readonly size: number;
  readonly sha256: string;
}

/** Why a body whose end never came is not stored. */
export function brokeOff(bytesRead: number): Failure {
  return incomplete(`it broke off after ${bytesRead} bytes`);
}

export function incomplete(reason: string): Failure {
  return invalid("body", `must be the whole file: ${reason}`);
}
