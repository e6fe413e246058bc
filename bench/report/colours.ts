import {
  TEXT_COLOUR,
  SERIES_COLOURS,
  OTHER_COLOUR,
} from "../../src/builtin/tools/chart-maker/style.ts";
import { isBosun } from "./contestants.ts";

const [FIRST_COLOUR = TEXT_COLOUR, ...LINE_COLOURS] = SERIES_COLOURS;
export const BOSUN_COLOUR = FIRST_COLOUR;
/** All contestants other than Bosun and the baseline share one bar colour. */
const OTHERS_COLOUR = "#A9B8C6";

export function barColour(contestant: string, limit: string | null): string {
  if (isBosun(contestant)) return BOSUN_COLOUR;
  return contestant === limit ? OTHER_COLOUR : OTHERS_COLOUR;
}

/** The line colour of a contestant. `contestants` are all contestants in the chart. */
export function lineColour(
  contestant: string,
  limits: ReadonlySet<string | null>,
  contestants: readonly string[],
): string {
  if (isBosun(contestant)) return BOSUN_COLOUR;
  if (limits.has(contestant)) return OTHER_COLOUR;
  const others = contestants.filter((one) => !isBosun(one) && !limits.has(one));
  return LINE_COLOURS[others.indexOf(contestant) % LINE_COLOURS.length] ?? TEXT_COLOUR;
}
