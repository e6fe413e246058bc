import { checkMean } from "../checks.ts";
import type { TableFindings } from "../findings.ts";
import type { Column, Group, Grouping } from "../shapes.ts";
import { isMentioned } from "../roles.ts";
import { label } from "../wording.ts";
import { insight, type Insight } from "./insight.ts";

/** Groups compared by a measure, with the two that lie farthest apart. */
export interface Contrast {
  readonly grouping: Grouping;
  readonly high: Group;
  readonly low: Group;
  /** The distance of the two means in standard deviations of the measure; ranks contrasts. */
  readonly distance: number;
}

/** Means of fewer rows say little. */
const GROUP_ROWS_MIN = 3;
const MAIN_CONTRASTS = 2;
const DISTANCE_SMALL = 0.2;

/** The groupings that tell groups apart: those by measures that the task names, then the farthest apart. */
export function contrastsOf({ groupings, profile }: TableFindings, task: string): Contrast[] {
  const rank = ({ grouping }: Contrast) => (isMentioned(grouping.column, task) ? 0 : 1);
  return groupings
    .flatMap((grouping) => {
      const column = profile?.columns.find(({ name }) => name === grouping.column);
      const contrast = column === undefined ? null : contrastOf(grouping, column);
      return contrast === null ? [] : [contrast];
    })
    .toSorted((a, b) => rank(a) - rank(b) || b.distance - a.distance);
}

/** Whether the groups lie far enough apart to be told first: Cohen's bound for a small effect. */
export function isTellingContrast({ distance }: Contrast): boolean {
  return distance >= DISTANCE_SMALL;
}

export function groupInsights(table: TableFindings, task: string): Insight[] {
  return contrastsOf(table, task).map((contrast, place) => {
    const { column } = contrast.grouping;
    const isMain = isTellingContrast(contrast) && place < MAIN_CONTRASTS;
    const profiled = table.profile?.columns.find(({ name }) => name === column);
    const verdict = profiled === undefined ? "unchecked" : checkMean(table, profiled);
    return insight(contrastText(contrast), verdict, isMain);
  });
}

/** "Mean of Body Mass (g) by Species is highest for Gentoo: 5076 (n = 123), lowest for …" */
export function contrastText({ grouping, high, low }: Contrast): string {
  const mean = `Mean of ${label(grouping.column)} by ${label(grouping.groupBy)}`;
  const highest = `is highest for ${label(high.group)}: ${high.mean} (n = ${high.count})`;
  return `${mean} ${highest}, lowest for ${label(low.group)}: ${low.mean} (n = ${low.count})`;
}

function contrastOf(grouping: Grouping, { standardDeviation }: Column): Contrast | null {
  const groups = grouping.groups
    .filter(({ count, mean }) => count >= GROUP_ROWS_MIN && mean !== null)
    .toSorted((a, b) => meanOf(b) - meanOf(a));
  const [high] = groups;
  const low = groups.at(-1);
  if (high === undefined || low === undefined || meanOf(high) === meanOf(low)) return null;
  const distance = (meanOf(high) - meanOf(low)) / (standardDeviation || Infinity);
  return { grouping, high, low, distance };
}

function meanOf({ mean }: Group): number {
  return mean ?? 0;
}
