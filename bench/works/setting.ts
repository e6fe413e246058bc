import type { Counted } from "../use.ts";

/** Settings that all works use. */
export interface Setting {
  /** The number of rounds after the warm-up. */
  readonly rounds: number;
  readonly say: (words: string) => void;
  readonly counted: Counted;
}
