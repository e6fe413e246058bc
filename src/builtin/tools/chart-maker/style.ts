import { toSingleLine } from "../../../kernel/text.ts";

/** Okabe and Ito's colour-blind-safe palette without black, and without yellow, which is too faint on white. */
export const FIRST_COLOUR = "#0072B2";
export const SERIES_COLOURS = [FIRST_COLOUR, "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9"];
/** For combined and missing values. */
export const OTHER_COLOUR = "#8A8A8A";

export const TEXT_COLOUR = "#1F2328";
export const MUTED_TEXT_COLOUR = "#57606A";
export const GRID_COLOUR = "#E3E6EA";

export const CHART_WIDTH_PX = 720;
export const CHART_HEIGHT_PX = 440;

/** The approximate width of a character at a font size of 12 pixels. */
export const CHARACTER_WIDTH_PX = 7;

/**
 * Names that every object inherits. ZRender stores text widths in a plain object, in which the key "__proto__" would
 * change Object.prototype. An invisible space after the first character prevents this.
 */
const INHERITED_PROPERTY_NAMES = new RegExp(
  Object.getOwnPropertyNames(Object.prototype).join("|"),
  "g",
);
const INVISIBLE_SPACE = "\u200b";

/** Formats a value as one line of at most `charactersMax` characters without inherited property names. */
export function toChartLabel(value: string | number | boolean, charactersMax: number): string {
  return toSingleLine(String(value), charactersMax)
    .toWellFormed()
    .replace(
      INHERITED_PROPERTY_NAMES,
      (name) => `${name.slice(0, 1)}${INVISIBLE_SPACE}${name.slice(1)}`,
    );
}

const COMPACT_FROM = 1_000_000;
const EXPONENT_FROM = 1e15;
const EXPONENT_BELOW = 1e-4;
/** A double represents this many digits exactly. Axis ticks are round numbers, so they can be shown in full. */
const TICK_DIGITS = 15;
const FIGURE_DIGITS = 4;

/** Formats a number for an axis tick: 2005, 15,000, 2.5M or 1e-7. */
export function formatTick(value: number): string {
  return formatNumber(value, TICK_DIGITS);
}

/** Formats a figure in a chart with four significant digits. */
export function formatFigure(value: number): string {
  return formatNumber(value, FIGURE_DIGITS);
}

function formatNumber(value: number, maximumSignificantDigits: number): string {
  const size = Math.abs(value);
  if (size !== 0 && (size < EXPONENT_BELOW || size >= EXPONENT_FROM)) {
    return Number(value.toPrecision(maximumSignificantDigits)).toExponential();
  }
  const notation = size < COMPACT_FROM ? "standard" : "compact";
  // Four-digit numbers are not grouped because they may be years.
  const format = { notation, maximumSignificantDigits, useGrouping: "min2" } as const;
  return new Intl.NumberFormat("en-US", format).format(value);
}
