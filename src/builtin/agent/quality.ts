import type { QualityScores } from "../../tasks/model/task.ts";
import type { CrossCheck } from "./cross-checks.ts";
import type { InputFindings } from "./findings.ts";

/** What the quality of a piece of work is computed from. */
export interface QualityEvidence {
  readonly findings: InputFindings;
  readonly hasReadableInput: boolean;
  /** Calls of tools that the work wanted, and those of them that gave a result. */
  readonly calls: { readonly wanted: number; readonly done: number };
  /** Deliverable types asked for, and those of them that were made. */
  readonly deliverables: { readonly asked: number; readonly made: number };
  /** For each stated insight with a computed figure, what a second call says of it. */
  readonly crossChecks: readonly CrossCheck[];
  readonly summary: readonly string[];
}

const WEIGHTS = { accuracy: 0.4, completeness: 0.4, clarity: 0.2 } as const;
const UNCHECKED_WEIGHT = 0.5;
/** The most that work which found nothing to read can call complete: it did say so. */
const NOTHING_READ_COMPLETENESS_MAX = 10;
const WORD = /[\p{L}\p{N}][\p{L}\p{N}.'’-]*/gu;

/**
 * Each 0 to 100, whole numbers.
 *
 * completeness: the mean of two shares: deliverables made of those asked for, and calls of tools that
 *   gave a result of those wanted (for lack of a grant, a refusal and a failure alike they did not);
 *   where nothing was read, the first share of 10.
 * accuracy: cells that are present and readable as their column's type, as a share of all cells,
 *   times the share of stated figures that hold: one that a second, independent call confirmed
 *   counts 1, one that no second call looked at ½, a contradicted one 0; without any figure 0.
 * clarity: the Flesch reading ease of the summary, kept within 0 and 100.
 * score: 0.4 accuracy + 0.4 completeness + 0.2 clarity.
 */
export async function scoreQuality(evidence: QualityEvidence): Promise<QualityScores> {
  const accuracy = Math.round(scoreAccuracy(evidence));
  const completeness = Math.round(scoreCompleteness(evidence));
  const clarity = Math.round(await measureReadingEase(evidence.summary));
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
  const held = crossChecks.reduce((sum, verdict) => sum + crossCheckWeight(verdict), 0);
  return (
    100 *
    measureReadableShare(findings) *
    (crossChecks.length === 0 ? 0 : held / crossChecks.length)
  );
}

function crossCheckWeight(verdict: CrossCheck): number {
  switch (verdict) {
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

async function measureReadingEase(sentences: readonly string[]): Promise<number> {
  const [{ flesch }, { syllable }] = await Promise.all([import("flesch"), import("syllable")]);
  const words = sentences.join(" ").match(WORD) ?? [];
  const syllables = words.reduce((sum, word) => sum + Math.max(1, syllable(word)), 0);
  const ease = flesch({ sentence: sentences.length, word: words.length, syllable: syllables });
  return Math.min(Math.max(ease, 0), 100);
}

/** All of nothing is all. */
function ratio(part: number, whole: number): number {
  return whole === 0 ? 1 : part / whole;
}
