import type { Reply } from "./reply.ts";

/** What a contestant's process does when told so, by name. */
export type Orders = Readonly<Record<string, (given: string) => Promise<unknown>>>;

let stop: (() => Promise<void>) | null = null;

// An interruption from the keyboard is for all processes at once: the benchmark's own ends, and this one
// after it, in order. Set up before anything is started that would be left behind.
process.on("SIGINT", ignore).on("SIGTERM", ignore);
process.once("disconnect", () => {
  if (stop === null) process.exit();
  void stop().finally(() => process.exit());
});

/** Tells where this process serves, carries out orders, and ends when nobody is left to give any. */
export function serve(origin: string, orders: Orders, end: () => Promise<void>): void {
  stop = end;
  process.on("message", (order: object) => {
    for (const [name, given] of Object.entries(order)) {
      void carriedOut(orders[name], name, String(given)).then(reply);
    }
  });
  reply({ answer: origin });
}

/** An order that fails is the benchmark's to judge, and no reason for this process to fall. */
async function carriedOut(act: Orders[string] | undefined, name: string, given: string) {
  if (act === undefined) return { fault: `Nobody here does "${name}"` };
  try {
    return { answer: (await act(given)) ?? null };
  } catch (fault) {
    return { fault: String(fault) };
  }
}

/** Nobody hears a reply that comes after the end. */
function reply(words: Reply): void {
  if (process.connected) process.send?.(words);
}

function ignore(): void {}
