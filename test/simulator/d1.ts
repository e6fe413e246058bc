import type { Tables } from "./tables.ts";
import type { Wire } from "./wire.ts";

/** D1 as the stand-ins of the stores reach it: one call, which is done whole or not at all. */
export class SimulatedD1 {
  readonly tables: Tables;
  readonly #wire: Wire;
  readonly #name: string;

  constructor(name: string, tables: Tables, wire: Wire) {
    this.#name = name;
    this.tables = tables;
    this.#wire = wire;
  }

  call<Value>(verb: "put" | "delete" | "read", query: (tables: Tables) => Value): Promise<Value> {
    return this.#wire.call({ kind: "d1", verb, to: this.#name }, (answer) => {
      answer({ ok: true, value: query(this.tables) });
    });
  }
}

/** Only the simulator runs with the stand-in of `database()`, which hands on the binding as it is. */
export function d1Behind(database: object): SimulatedD1 {
  return database as SimulatedD1;
}
