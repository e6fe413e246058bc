import type { Database } from "../../../src/db/client.ts";
import type * as real from "../../../src/agents/registry.ts";
import { d1Behind } from "../d1.ts";

export const findCandidates: typeof real.findCandidates = (db: Database, filter) =>
  d1Behind(db).call("read", (tables) => tables.candidates(filter));

export const loadsIn: typeof real.loadsIn = (db: Database) =>
  d1Behind(db).call("read", (tables) => tables.loads());

export const standingOf: typeof real.standingOf = (db: Database, agentId) =>
  d1Behind(db).call("read", (tables) => tables.standing(agentId));

/** The simulator has no teams. */
export const termsOf: typeof real.termsOf = async (db, agentId) => {
  const standing = await standingOf(db, agentId);
  return standing?.enabled === true ? standing.terms : null;
};
