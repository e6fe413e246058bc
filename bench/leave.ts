/**
 * Turns an interruption into an ordinary exit: the "exit" event deletes folders, and contestants end when
 * this process disconnects. An unhandled signal skips both.
 */
export function exitOnSignals(): void {
  process.once("SIGINT", () => process.exit(130)).once("SIGTERM", () => process.exit(143));
}
