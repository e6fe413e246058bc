import type { Key } from "../../keys/model/key.ts";

export type A2aVersion = "1.0" | "0.3";

export interface A2aCallContext {
  readonly env: Env;
  readonly key: Key;
  readonly version: A2aVersion;
  /** The base of links to files. */
  readonly origin: string;
  /** Aborts when the request ends or the client disconnects. */
  readonly signal: AbortSignal;
  /** Continues work after the client disconnects. */
  readonly waitUntil: (work: Promise<unknown>) => void;
  /** The checked parameters, as the client sent them. */
  readonly params?: object;
}
