import type { Database } from "../../../src/db/client.ts";
import type * as real from "../../../src/tasks/directory.ts";
import { d1Behind } from "../d1.ts";

export { rowOf } from "../../../src/tasks/directory.ts";

export const putRow: typeof real.putRow = (db: Database, row, written) =>
  d1Behind(db).call("put", (tables) => tables.put(row, written ?? null));

/** Where no agents lie none is rated. */
export const putUnrated: typeof real.putUnrated = putRow;

export const deleteRow: typeof real.deleteRow = (db: Database, { id }) =>
  d1Behind(db).call("delete", (tables) => tables.delete(id));
