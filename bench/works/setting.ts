import type { Counted } from "../use.ts";

/** The settings of all measurements. */
export interface Setting {
  /** The number of rounds after the warm-up. */
  readonly rounds: number;
  readonly say: (words: string) => void;
  readonly counted: Counted;
}
