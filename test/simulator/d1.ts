import type { D1Tables } from "./d1-tables.ts";
import type { Network } from "./network.ts";

/** D1 as seen by the fake stores. Each call is atomic. */
export class SimulatedD1 {
  readonly tables: D1Tables;
  readonly #wire: Network;
  readonly #name: string;

  constructor(name: string, tables: D1Tables, network: Network) {
    this.#name = name;
    this.tables = tables;
    this.#wire = network;
  }

  call<Value>(verb: "put" | "delete" | "read", query: (tables: D1Tables) => Value): Promise<Value> {
    return this.#wire.call({ kind: "d1", verb, to: this.#name }, (answer) => {
      answer({ ok: true, value: query(this.tables) });
    });
  }
}

/** Restores the type hidden by the fake `getDatabase()`, which returns the binding itself. */
export function d1Behind(database: object): SimulatedD1 {
  return database as SimulatedD1;
}
