/** A whole number from the environment; what is none, or out of bounds, ends the run with words. */
export function setting(
  name: string,
  otherwise: number,
  min = 1,
  max = Number.MAX_SAFE_INTEGER,
): number {
  // Where a runtime has no environment of its own, what is not set is handed in empty.
  const text = process.env[name] ?? "";
  if (text === "") return otherwise;
  const value = Number(text);
  if (/^\d+$/.test(text) && value >= min && value <= max) return value;
  throw new Error(`${name} must be a whole number from ${min} to ${max}, and is "${text}"`);
}
