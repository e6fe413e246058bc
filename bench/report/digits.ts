/** Shown for a value that cannot be counted, or for a ratio without a reference. */
export const NOTHING = "–";

const DIGITS = 3;
const WHOLE_DOLLARS_FROM = 100;
const CENTS_FROM = 0.005;
const KIB = 1024;
const SIZES = [
  ["GiB", KIB ** 3],
  ["MiB", KIB ** 2],
  ["KiB", KIB],
] as const;

const MEASURED = new Intl.NumberFormat("en-US", {
  minimumSignificantDigits: DIGITS,
  maximumSignificantDigits: DIGITS,
});
const COUNTED = new Intl.NumberFormat("en-US", { maximumSignificantDigits: DIGITS });
const WHOLE = new Intl.NumberFormat("en-US", { maximumFractionDigits: 0 });
const CENTS = new Intl.NumberFormat("en-US", {
  minimumFractionDigits: 2,
  maximumFractionDigits: 2,
});
const LESS = new Intl.NumberFormat("en-US", { maximumSignificantDigits: 1 });
const DAY = new Intl.DateTimeFormat("en-GB", { dateStyle: "long", timeZone: "UTC" });

/** Formats a measured value with three significant digits, such as 1,230 or 0.870. */
export function measured(value: number): string {
  return MEASURED.format(value);
}

/** Formats a count with at most three significant digits, such as 14 or 2.33. */
export function counted(value: number | null): string {
  return value === null ? NOTHING : COUNTED.format(value);
}

/** Formats an exact whole number, such as 1,000,000. */
export function whole(value: number): string {
  return WHOLE.format(value);
}

/**
 * Formats amounts of $100 or more in whole dollars and smaller ones with cents. Amounts below half a cent have one
 * significant digit.
 */
export function dollars(value: number): string {
  if (value >= WHOLE_DOLLARS_FROM) return `$${WHOLE.format(value)}`;
  if (value >= CENTS_FROM) return `$${CENTS.format(value)}`;
  return value === 0 ? "$0" : `$${LESS.format(value)}`;
}

/** Formats a price as price lists do, such as 0.30 or 0.001. */
export function listPrice(value: number): string {
  return Number(value.toFixed(2)) === value ? CENTS.format(value) : String(value);
}

export function bytesText(bytes: number): string {
  const [unit, size] = SIZES.find(([, least]) => bytes >= least) ?? ["bytes", 1];
  return `${measured(bytes / size)} ${unit}`;
}

/** Formats a date, such as 22 November 2026. */
export function dayOf(at: string): string {
  return DAY.format(new Date(at));
}
