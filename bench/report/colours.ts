import { INK, PALETTE, REST_COLOUR } from "../../src/tools/connectors/builtin/chart-maker/theme.ts";
import { isBosun } from "./contestants.ts";

export const [BOSUN_COLOUR = INK, ...LINE_COLOURS] = PALETTE;
/** Bars need not be told apart but from this service's and the limit's. */
const OTHERS_COLOUR = "#A9B8C6";

export function barColour(contestant: string, limit: string | null): string {
  if (isBosun(contestant)) return BOSUN_COLOUR;
  return contestant === limit ? REST_COLOUR : OTHERS_COLOUR;
}

/** Of lines, which are told apart by their colours alone; `contestants` are all that there are. */
export function lineColour(
  contestant: string,
  limits: ReadonlySet<string | null>,
  contestants: readonly string[],
): string {
  if (isBosun(contestant)) return BOSUN_COLOUR;
  if (limits.has(contestant)) return REST_COLOUR;
  const others = contestants.filter((one) => !isBosun(one) && !limits.has(one));
  return LINE_COLOURS[others.indexOf(contestant) % LINE_COLOURS.length] ?? INK;
}
