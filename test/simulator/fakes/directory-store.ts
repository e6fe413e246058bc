import type { Database } from "../../../src/platform/d1/client.ts";
import type * as real from "../../../src/tasks/directory/directory.store.ts";
import { d1Behind } from "../d1.ts";

export { ratingOf, toDirectoryRow } from "../../../src/tasks/directory/directory.store.ts";

export const saveDirectoryRow: typeof real.saveDirectoryRow = (db: Database, row, written) =>
  d1Behind(db).call("put", (tables) => tables.put(row, written ?? null));

/** A database without agents has no ratings to update. */
export const saveUnratedRow: typeof real.saveUnratedRow = saveDirectoryRow;

/** Writes rows without ratings in one transaction. */
export const saveUnratedRows: typeof real.saveUnratedRows = (db: Database, writes) =>
  d1Behind(db).call("put", (tables) => {
    const accepted = writes.filter(({ row }) => row.rating === null);
    for (const { row, written } of accepted) tables.put(row, written);
    return accepted;
  });

export const deleteDirectoryRow: typeof real.deleteDirectoryRow = (db: Database, { id }) =>
  d1Behind(db).call("delete", (tables) => tables.delete(id));

export const saveRemoteRating: typeof real.saveRemoteRating = (db: Database, rated) =>
  d1Behind(db).call("put", (tables) => tables.rate(rated));

export const deleteRating: typeof real.deleteRating = (db: Database, taskId) =>
  d1Behind(db).call("delete", (tables) => void tables.ratedElsewhere.delete(taskId));
