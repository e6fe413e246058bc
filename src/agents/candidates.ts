import { within } from "../clock/within.ts";
import { database } from "../db/client.ts";
import { reasonOf } from "../db/reason.ts";
import { shardsOf, type ShardsEnv } from "../db/shards.ts";
import { addLoads, type Loads } from "../domain/assignment.ts";
import { LOADS_WAIT_MS } from "../domain/limits.ts";
import { findCandidates, loadsIn, type CandidateFilter, type CandidateSearch } from "./registry.ts";

const NONE: Loads = new Map();

/**
 * The agents that could take a task, weighed with what they have in hand, wherever the directory keeps
 * it. The registry must answer; a further shard that does not answer soon is left out of the loads.
 */
export async function searchCandidates(
  env: ShardsEnv,
  filter: CandidateFilter,
): Promise<CandidateSearch> {
  const [first, ...further] = shardsOf(env);
  const search = findCandidates(database(first), filter);
  if (further.length === 0) return search;
  const loads = Promise.all(further.map((shard, place) => loadsOf(shard, place + 1)));
  const { candidates, ...known } = await search;
  return { ...known, candidates: addLoads(candidates, await loads) };
}

async function loadsOf(binding: D1Database, shard: number): Promise<Loads> {
  try {
    return await within(LOADS_WAIT_MS, loadsIn(database(binding)));
  } catch (fault) {
    console.warn({ event: "loads_unknown", shard, reason: reasonOf(fault) });
    return NONE;
  }
}
