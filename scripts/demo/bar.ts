const CELLS = 30;

/** A progress bar followed by the percentage, from 0 to 100. */
export function progressBar(progress: number): string {
  const full = Math.round((progress / 100) * CELLS);
  return `${"█".repeat(full)}${"░".repeat(CELLS - full)} ${String(progress).padStart(3)}%`;
}
