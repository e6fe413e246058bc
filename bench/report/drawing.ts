import type { GridComponentOption, TitleComponentOption } from "echarts/components";
import {
  toChartLabel,
  TEXT_COLOUR,
  MUTED_TEXT_COLOUR,
} from "../../src/builtin/tools/chart-maker/style.ts";

/** A chart as a file, and what it shows for those who do not see it. */
export interface Drawing {
  readonly name: string;
  readonly description: string;
  readonly svg: string;
}

/** As wide as GitHub shows a page. */
export const WIDTH = 860;
export const MARGIN = 20;
/** A row of a chart of lying bars or dots. */
export const ROW_HEIGHT = 24;

/** Below the title and the line under it. */
const PLOT_TOP = 66;
/** The axis below the plot, its labels and its name. */
const AXIS_HEIGHT = 56;
/** Names are measured as Arial's, and many machines have wider letters. */
const WIDER_LETTERS = 28;
const LABEL_CHARACTERS_MAX = 40;

/** A name at an axis or in a legend, of whatever length and signs. */
export function label(text: string): string {
  return toChartLabel(text, LABEL_CHARACTERS_MAX);
}

/** A name in the plot, where there is more room. */
export function longLabel(text: string): string {
  return toChartLabel(text, 2 * LABEL_CHARACTERS_MAX);
}

/** A title, and under it what is to be known of the marks. */
export function titleOption(text: string, subtext: string): TitleComponentOption {
  return {
    text: longLabel(text),
    subtext,
    left: MARGIN,
    top: 14,
    padding: 0,
    itemGap: 8,
    textStyle: { color: TEXT_COLOUR, fontSize: 16, fontWeight: 600 },
    subtextStyle: { color: MUTED_TEXT_COLOUR, fontSize: 12 },
  };
}

/** The plot of a chart of rows, with all of its labels inside the margins. */
export function rowsGrid(): GridComponentOption {
  return {
    left: MARGIN + WIDER_LETTERS,
    right: MARGIN + WIDER_LETTERS,
    top: PLOT_TOP,
    bottom: MARGIN,
    outerBoundsMode: "same",
    outerBoundsContain: "all",
  };
}

export function heightOf(rows: number): number {
  return PLOT_TOP + rows * ROW_HEIGHT + AXIS_HEIGHT;
}
