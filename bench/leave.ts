/**
 * Makes an ordinary exit of an interruption: folders are taken away on "exit", and contestants end when
 * they see this process disconnect. A signal that nobody handles skips both.
 */
export function leaveOnSignals(): void {
  process.once("SIGINT", () => process.exit(130)).once("SIGTERM", () => process.exit(143));
}
