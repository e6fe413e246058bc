/** Text that a spreadsheet would evaluate as a formula. */
const FORMULA_START = /^[=+\-@\t\r]/;
const NEEDS_QUOTES = /[",\r\n]/;

/**
 * Formats a table as CSV (RFC 4180) with CRLF line ends. Text that begins like a formula gets a leading apostrophe, so
 * that a spreadsheet shows it instead of evaluating it. Numbers are not changed.
 */
export function formatCsv(
  header: readonly string[],
  rows: readonly (readonly (string | number)[])[],
): string {
  return [header, ...rows].map((row) => `${row.map(formatCell).join(",")}\r\n`).join("");
}

function formatCell(value: string | number): string {
  if (typeof value === "number") return String(value);
  const text = FORMULA_START.test(value) ? `'${value}` : value;
  return NEEDS_QUOTES.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
