import type { GridComponentOption, TitleComponentOption } from "echarts/components";
import {
  toChartLabel,
  TEXT_COLOUR,
  MUTED_TEXT_COLOUR,
} from "../../src/builtin/tools/chart-maker/style.ts";

/** A chart as SVG, with its text alternative. */
export interface Drawing {
  readonly name: string;
  readonly description: string;
  readonly svg: string;
}

/** The width of a page on GitHub, in pixels. */
export const WIDTH = 860;
export const MARGIN = 20;
/** The height of one row in a chart of horizontal bars or dots. */
export const ROW_HEIGHT = 24;

/** The space for the title and the subtitle. */
const PLOT_TOP = 66;
/** The space below the plot for the axis, its labels and its name. */
const AXIS_HEIGHT = 56;
/** Extra space at the sides, because text is measured in Arial and many machines use wider fonts. */
const WIDER_LETTERS = 28;
const LABEL_CHARACTERS_MAX = 40;

/** Shortens a name to fit on an axis or in a legend, and removes control characters. */
export function label(text: string): string {
  return toChartLabel(text, LABEL_CHARACTERS_MAX);
}

/** Like `label`, for a name inside the plot, where there is more room. */
export function longLabel(text: string): string {
  return toChartLabel(text, 2 * LABEL_CHARACTERS_MAX);
}

/** The title of a chart, and a subtitle that explains its marks. */
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

/** The plot area of a chart with horizontal rows. All labels fit inside the margins. */
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
