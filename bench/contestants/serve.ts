/** What a contestant's process does when told so, by name. */
export type Orders = Readonly<Record<string, (given: string) => Promise<unknown>>>;

/** Tells where this process serves, carries out orders, and ends when nobody is left to give any. */
export function serve(origin: string, orders: Orders, stop: () => Promise<void>): void {
  process.on("message", (order: object) => {
    for (const [name, given] of Object.entries(order)) {
      const act = orders[name];
      if (act === undefined) throw new Error(`Nobody here does "${name}"`);
      void act(String(given)).then((answer) => process.send?.(answer ?? null));
    }
  });
  process.once("disconnect", () => void stop().finally(() => process.exit()));
  process.send?.(origin);
}
