import type { Counted } from "../use.ts";

/** What all works go by. */
export interface Setting {
  /** Rounds that count, after the one that warms. */
  readonly rounds: number;
  readonly say: (words: string) => void;
  readonly counted: Counted;
}
