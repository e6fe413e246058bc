import type { Reply } from "./reply.ts";

/** The commands that a contestant's process handles, by name. */
export type Commands = Readonly<Record<string, (given: string) => Promise<unknown>>>;

let stop: (() => Promise<void>) | null = null;

// Ctrl-C signals all processes at once. The benchmark's process exits first, and this one follows when it is
// disconnected. The handlers must be installed before a server is started, because the server would outlive this
// process.
process.on("SIGINT", ignore).on("SIGTERM", ignore);
process.once("disconnect", () => {
  if (stop === null) process.exit();
  void stop().finally(() => process.exit());
});

/** Reports the origin, executes commands, and exits when the benchmark disconnects. */
export function serve(origin: string, orders: Commands, end: () => Promise<void>): void {
  stop = end;
  process.on("message", (order: object) => {
    for (const [name, given] of Object.entries(order)) {
      void execute(orders[name], name, String(given)).then(reply);
    }
  });
  reply({ answer: origin });
}

/** Executes a command. If it fails, the error is reported to the benchmark, and this process continues. */
async function execute(act: Commands[string] | undefined, name: string, given: string) {
  if (act === undefined) return { error: `Unknown command "${name}"` };
  try {
    return { answer: (await act(given)) ?? null };
  } catch (error) {
    return { error: String(error) };
  }
}

/** A reply is dropped if the benchmark has disconnected. */
function reply(words: Reply): void {
  if (process.connected) process.send?.(words);
}

function ignore(): void {}
