/** What XML 1.0 cannot carry, and the marks that turn the direction of the text around them. */
const UNPRINTABLE_CHARACTERS = /[\p{Cc}\u200e\u200f\u202a-\u202e\u2066-\u2069\ufffe\uffff]/gu;
/**
 * Names that every object inherits. ZRender keeps the widths of texts in a plain object, where looking
 * up "__proto__" would write to Object.prototype; an unseen space after the first letter prevents it.
 */
const INHERITED_PROPERTY_NAMES = new RegExp(
  Object.getOwnPropertyNames(Object.prototype).join("|"),
  "g",
);
const UNSEEN_SPACE = "\u200b";
const SPACES = /[\s\u2028\u2029]+/g;

/** A text as a chart shows it: one line, printable, cut with "…" after `charactersMax`. */
export function toChartLabel(value: string | number | boolean, charactersMax: number): string {
  const text = String(value)
    .slice(0, 10 * charactersMax)
    .replace(SPACES, " ")
    .replace(UNPRINTABLE_CHARACTERS, "")
    .toWellFormed()
    .replace(
      INHERITED_PROPERTY_NAMES,
      (name) => `${name.slice(0, 1)}${UNSEEN_SPACE}${name.slice(1)}`,
    )
    .trim();
  const characters = Array.from(text);
  if (characters.length <= charactersMax) return text;
  return `${characters
    .slice(0, charactersMax - 1)
    .join("")
    .trimEnd()}…`;
}

const COMPACT_FROM = 1_000_000;
const EXPONENT_FROM = 1e15;
const EXPONENT_BELOW = 1e-4;
/** All that a double holds for certain; the ticks of an axis are round already. */
const TICK_DIGITS = 15;
const FIGURE_DIGITS = 4;

/** A number at the tick of an axis: 2005, 15,000, 2.5M or 1e-7. */
export function formatTick(value: number): string {
  // Four digits stand together on an axis: they may be years.
  return formatNumber(value, TICK_DIGITS, "min2");
}

/** A figure beside its mark, to four digits. */
export function formatFigure(value: number): string {
  return formatNumber(value, FIGURE_DIGITS, "always");
}

function formatNumber(
  value: number,
  maximumSignificantDigits: number,
  useGrouping: "always" | "min2",
): string {
  const size = Math.abs(value);
  if (size !== 0 && (size < EXPONENT_BELOW || size >= EXPONENT_FROM)) {
    return Number(value.toPrecision(maximumSignificantDigits)).toExponential();
  }
  const notation = size < COMPACT_FROM ? "standard" : "compact";
  return new Intl.NumberFormat("en-US", {
    notation,
    maximumSignificantDigits,
    useGrouping,
  }).format(value);
}
