import type { Database } from "../../../src/platform/d1/client.ts";
import type * as real from "../../../src/tasks/directory/directory.store.ts";
import { d1Behind } from "../d1.ts";

export { toDirectoryRow } from "../../../src/tasks/directory/directory.store.ts";

export const saveDirectoryRow: typeof real.saveDirectoryRow = (db: Database, row, written) =>
  d1Behind(db).call("put", (tables) => tables.put(row, written ?? null));

/** Where no agents lie none is rated. */
export const saveUnratedRow: typeof real.saveUnratedRow = saveDirectoryRow;

export const deleteDirectoryRow: typeof real.deleteDirectoryRow = (db: Database, { id }) =>
  d1Behind(db).call("delete", (tables) => tables.delete(id));
