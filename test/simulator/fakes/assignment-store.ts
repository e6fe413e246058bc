import type { Database } from "../../../src/platform/d1/client.ts";
import type * as real from "../../../src/agents/assignment.store.ts";
import { d1Behind } from "../d1.ts";

export const findCandidates: typeof real.findCandidates = (db: Database, filter) =>
  d1Behind(db).call("read", (tables) => tables.candidates(filter));

export const readAgentLoads: typeof real.readAgentLoads = (db: Database) =>
  d1Behind(db).call("read", (tables) => tables.loads());

export const findAgentConfig: typeof real.findAgentConfig = (db: Database, agentId) =>
  d1Behind(db).call("read", (tables) => tables.agentConfig(agentId));

/** Ignores teams, because the simulator has none. */
export const findAssignableTerms: typeof real.findAssignableTerms = async (db, agentId) => {
  const agentConfig = await findAgentConfig(db, agentId);
  return agentConfig?.enabled === true ? agentConfig : null;
};
