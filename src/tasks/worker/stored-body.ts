import { invalid, type Failure } from "../../domain/failure.ts";

/** A stored body: `size` in bytes, `sha256` in hex. */
export interface StoredBody {
  readonly size: number;
  readonly sha256: string;
}

/** The failure of an incomplete body, which is not stored. */
export function brokeOff(bytesRead: number): Failure {
  return incomplete(`it broke off after ${bytesRead} bytes`);
}

export function incomplete(reason: string): Failure {
  return invalid("body", `must be the whole file: ${reason}`);
}
