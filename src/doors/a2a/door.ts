import type { Key } from "../../domain/key.ts";

/** One request of A2A: whose it is, and where and as long as it is made. */
export interface Door {
  readonly env: Env;
  readonly key: Key;
  /** What links to files begin with. */
  readonly origin: string;
  /** Aborts when the request ends or the client disconnects. */
  readonly signal: AbortSignal;
  /** Keeps work going that a client who hangs up must not break off. */
  readonly waitUntil: (work: Promise<unknown>) => void;
}
