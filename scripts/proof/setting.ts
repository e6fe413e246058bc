/** A whole number from the environment. Throws if the value is invalid or out of range. */
export function setting(
  name: string,
  otherwise: number,
  min = 1,
  max = Number.MAX_SAFE_INTEGER,
): number {
  // Some environments pass unset variables as empty strings.
  const text = process.env[name] ?? "";
  if (text === "") return otherwise;
  const value = Number(text);
  if (/^\d+$/.test(text) && value >= min && value <= max) return value;
  throw new Error(`${name} must be a whole number from ${min} to ${max}, got "${text}"`);
}
