import type { Database } from "../../../src/db/client.ts";
import type * as real from "../../../src/tasks/ratings.ts";
import { d1Behind } from "../d1.ts";

export { countRating, ratedIn } from "../../../src/tasks/ratings.ts";

export const rateElsewhere: typeof real.rateElsewhere = (db: Database, rated) =>
  d1Behind(db).call("put", (tables) => tables.rate(rated));

export const forgetRating: typeof real.forgetRating = (db: Database, taskId) =>
  d1Behind(db).call("delete", (tables) => void tables.ratedElsewhere.delete(taskId));
