import type { Verdict } from "../checks.ts";

/** A sentence that states figures of tools. `verdict` null: plain counts, which no check is about. */
export interface Insight {
  readonly text: string;
  readonly verdict: Verdict | null;
  /** Whether it belongs to the few that a hurried reader should see. */
  readonly isMain: boolean;
}

export function insight(text: string, verdict: Verdict | null, isMain = false): Insight {
  return {
    text: verdict === "contradicted" ? `${text}; a second call gave another figure` : text,
    verdict,
    isMain,
  };
}
