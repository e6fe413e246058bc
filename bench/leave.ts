/**
 * Turns SIGINT and SIGTERM into an ordinary exit, so that "exit" handlers delete folders, and contestants exit when
 * this process disconnects. An unhandled signal would skip both.
 */
export function exitOnSignals(): void {
  process.once("SIGINT", () => process.exit(130)).once("SIGTERM", () => process.exit(143));
}
