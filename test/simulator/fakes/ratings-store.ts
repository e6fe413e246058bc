import type { Database } from "../../../src/platform/d1/client.ts";
import type * as real from "../../../src/tasks/directory/ratings.store.ts";
import { d1Behind } from "../d1.ts";

export { updateAgentRating, ratingOf } from "../../../src/tasks/directory/ratings.store.ts";

export const saveRemoteRating: typeof real.saveRemoteRating = (db: Database, rated) =>
  d1Behind(db).call("put", (tables) => tables.rate(rated));

export const deleteRating: typeof real.deleteRating = (db: Database, taskId) =>
  d1Behind(db).call("delete", (tables) => void tables.ratedElsewhere.delete(taskId));
