import { flesch } from "flesch";
import { syllable } from "syllable";
import type { QualityScores } from "../../tasks/model/task.ts";
import type { CrossCheck } from "./cross-checks.ts";
import type { InputFindings } from "./findings.ts";

/** The input of the quality scores. */
export interface QualityEvidence {
  readonly findings: InputFindings;
  readonly hasReadableInput: boolean;
  /** Calls of tools that the work wanted, and those of them that gave a result. */
  readonly calls: { readonly wanted: number; readonly done: number };
  /** Requested deliverable types, and those of them that were made. */
  readonly deliverables: { readonly asked: number; readonly made: number };
  /** The cross-check of each insight with a computed figure. */
  readonly crossChecks: readonly CrossCheck[];
  readonly summary: readonly string[];
}

const WEIGHTS = { accuracy: 0.4, completeness: 0.4, clarity: 0.2 } as const;
const UNCHECKED_WEIGHT = 0.5;
/** The most for work without readable input. */
const NOTHING_READ_COMPLETENESS_MAX = 10;
const WORD = /[\p{L}\p{N}][\p{L}\p{N}.'’-]*/gu;

/**
 * Each 0 to 100, whole numbers.
 *
 * completeness: the mean of two shares: deliverables made of those requested, and successful calls of those
 *   planned (calls without a grant, rejected and failed calls are not successful); without readable input,
 *   the first share of 10.
 * accuracy: cells that are present and readable as their column's type, as a share of all cells,
 *   times the mean weight of the stated figures: confirmed by a second, independent call 1, unchecked ½,
 *   contradicted 0; without any figure 0.
 * clarity: the Flesch reading ease of the summary, limited to 0 and 100.
 * score: 0.4 accuracy + 0.4 completeness + 0.2 clarity.
 */
export function scoreQuality(evidence: QualityEvidence): QualityScores {
  const accuracy = Math.round(scoreAccuracy(evidence));
  const completeness = Math.round(scoreCompleteness(evidence));
  const clarity = Math.round(measureReadingEase(evidence.summary));
  const score = Math.round(
    WEIGHTS.accuracy * accuracy + WEIGHTS.completeness * completeness + WEIGHTS.clarity * clarity,
  );
  return { score, accuracy, completeness, clarity };
}

function scoreCompleteness({ hasReadableInput, calls, deliverables }: QualityEvidence): number {
  const made = ratio(deliverables.made, deliverables.asked);
  if (!hasReadableInput) return NOTHING_READ_COMPLETENESS_MAX * made;
  return (100 * (made + ratio(calls.done, calls.wanted))) / 2;
}

function scoreAccuracy({ findings, crossChecks }: QualityEvidence): number {
  const confirmed = crossChecks.reduce((sum, check) => sum + crossCheckWeight(check), 0);
  return (
    100 *
    measureReadableShare(findings) *
    (crossChecks.length === 0 ? 0 : confirmed / crossChecks.length)
  );
}

function crossCheckWeight(check: CrossCheck): number {
  switch (check) {
    case "confirmed":
      return 1;
    case "unchecked":
      return UNCHECKED_WEIGHT;
    case "contradicted":
      return 0;
  }
}

/** Cells present of all cells; all of a text is readable. */
function measureReadableShare({ tables }: InputFindings): number {
  const columns = tables.flatMap(({ profile }) => profile?.columns ?? []);
  const present = columns.reduce((sum, { count }) => sum + count, 0);
  return ratio(
    present,
    columns.reduce((sum, { count, missing }) => sum + count + missing, 0),
  );
}

function measureReadingEase(sentences: readonly string[]): number {
  const words = sentences.join(" ").match(WORD) ?? [];
  const syllables = words.reduce((sum, word) => sum + Math.max(1, syllable(word)), 0);
  const ease = flesch({ sentence: sentences.length, word: words.length, syllable: syllables });
  return Math.min(Math.max(ease, 0), 100);
}

/** 1 if there is nothing to count. */
function ratio(part: number, whole: number): number {
  return whole === 0 ? 1 : part / whole;
}
