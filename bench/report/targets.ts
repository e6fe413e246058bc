import type { Spread, Target } from "../results.ts";
import { measured, NOTHING } from "./digits.ts";
import { figures, table, words } from "./table.ts";

/** Matches the bound of a target, such as "at least 0.8". */
const ASKED = /\bat (least|most) ([\d,]*\.?\d+)/;
const PERCENT = 100;

export function targetsTable(targets: readonly Target[]): string {
  return table(
    [words("target"), words("bound"), figures("measured"), words("result")],
    targets.map((target) => [
      target.what,
      target.asked,
      target.measured === null ? NOTHING : withSpread(target.measured, target.spread),
      verdict(target),
    ]),
  );
}

/** Whether the target was met and, if not, by how much it was missed (if the bound can be parsed). */
export function verdict(target: Target): string {
  if (target.measured === null) return target.isMet ? "met" : "**not measured**";
  const rounds = isInDoubt(target) ? "; some rounds met the bound, others did not" : "";
  if (target.isMet) return `met${rounds}`;
  const gap = gapOf(target.asked, target.measured);
  return `${gap === null ? "**missed**" : `**missed** by ${gap}`}${rounds}`;
}

/** Whether the bound lies within the spread of the rounds, so another run could lead to a different verdict. */
function isInDoubt({ asked, spread }: Target): boolean {
  const bound = boundOf(asked)?.bound;
  return bound !== undefined && spread !== undefined && spread.least < bound && bound < spread.most;
}

function withSpread(value: number, spread?: Spread): string {
  const rounds =
    spread === undefined ? "" : ` (${measured(spread.least)}..${measured(spread.most)})`;
  return `${measured(value)}${rounds}`;
}

function boundOf(asked: string): { side: string; bound: number } | null {
  const [, side, digits = ""] = ASKED.exec(asked) ?? [];
  return side === undefined ? null : { side, bound: Number(digits.replaceAll(",", "")) };
}

function gapOf(asked: string, value: number): string | null {
  const parsed = boundOf(asked);
  if (parsed === null) return null;
  const { side, bound } = parsed;
  const gap = side === "least" ? bound - value : value - bound;
  // The target was missed for a reason that this figure does not show.
  if (gap <= 0) return null;
  return bound === 0 ? measured(gap) : `${measured(gap)} (${share(gap / bound)})`;
}

function share(part: number): string {
  return part < 1 / PERCENT ? "less than 1 %" : `${Math.round(part * PERCENT)} %`;
}
