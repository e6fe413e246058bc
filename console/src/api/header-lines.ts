/** Reads one `Name: value` per line; null if there are none. The API explains what is wrong with a header. */
export function parseHeaders(text: string): Record<string, string> | null {
  const lines = text.split("\n").filter((line) => line.trim() !== "");
  if (lines.length === 0) return null;
  return Object.fromEntries(
    lines.map((line) => {
      const colon = line.indexOf(":");
      return colon < 0
        ? [line.trim(), ""]
        : [line.slice(0, colon).trim(), line.slice(colon + 1).trim()];
    }),
  );
}
