import type { GridComponentOption, TitleComponentOption } from "echarts/components";
import {
  toChartLabel,
  TEXT_COLOUR,
  MUTED_TEXT_COLOUR,
} from "../../src/builtin/tools/chart-maker/style.ts";

/** A chart as a file with a text alternative. */
export interface Drawing {
  readonly name: string;
  readonly description: string;
  readonly svg: string;
}

/** The width of a page on GitHub. */
export const WIDTH = 860;
export const MARGIN = 20;
/** The height of a row of horizontal bars or dots. */
export const ROW_HEIGHT = 24;

/** The space for the title and the subtitle. */
const PLOT_TOP = 66;
/** The space below the plot for the axis, its labels and its name. */
const AXIS_HEIGHT = 56;
/** Text is measured as Arial, but many machines use wider fonts. */
const WIDER_LETTERS = 28;
const LABEL_CHARACTERS_MAX = 40;

/** A name at an axis or in a legend, shortened to fit and without control characters. */
export function label(text: string): string {
  return toChartLabel(text, LABEL_CHARACTERS_MAX);
}

/** A name inside the plot, where there is more room. */
export function longLabel(text: string): string {
  return toChartLabel(text, 2 * LABEL_CHARACTERS_MAX);
}

/** A title and a subtitle that explains the marks. */
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

/** The plot area of a chart of rows, with all labels inside the margins. */
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
