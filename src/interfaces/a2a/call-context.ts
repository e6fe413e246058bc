import type { Key } from "../../keys/model/key.ts";

export type A2aVersion = "1.0" | "0.3";

export interface A2aCallContext {
  readonly env: Env;
  readonly key: Key;
  readonly version: A2aVersion;
  /** The request's origin, used in links to files. */
  readonly origin: string;
  /** Aborts when the request ends or the client disconnects. */
  readonly signal: AbortSignal;
  /** Keeps a promise running after the client disconnects. */
  readonly waitUntil: (work: Promise<unknown>) => void;
  /** The validated parameters, before the SDK converts them. */
  readonly params?: object;
}
