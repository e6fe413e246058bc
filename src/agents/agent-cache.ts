import { TtlCache } from "../platform/ttl-cache.ts";
import { type Database, getDatabase, redactDatabaseError } from "../platform/d1/client.ts";
import { type DirectoryEnv, listDirectoryDatabases } from "../platform/d1/shards.ts";
import type { AgentTerms } from "./model/agent.ts";
import { AGENT_CACHE_ENTRIES_MAX, AGENT_CACHE_MS, AGENT_LOADS_TIMEOUT_MS } from "./limits.ts";
import { findAssignableTerms, findCandidates, readAgentLoads } from "./assignment.store.ts";
import { withTimeout } from "../platform/timeout.ts";
import {
  addLoads,
  type AgentLoads,
  type CandidateFilter,
  type CandidateSearch,
} from "../tasks/model/assignment.ts";
import { log } from "../platform/log.ts";

const NO_LOADS: AgentLoads = new Map();

/**
 * The agents that could take a task, weighed with what they have in hand, wherever the directory keeps
 * it. The registry must answer; a further shard that does not answer soon is left out of the loads.
 */
export async function searchCandidates(
  env: DirectoryEnv,
  filter: CandidateFilter,
): Promise<CandidateSearch> {
  const [first, ...further] = listDirectoryDatabases(env);
  const search = findCandidates(getDatabase(first), filter);
  if (further.length === 0) return search;
  const loads = Promise.all(further.map((shard, place) => readShardLoads(shard, place + 1)));
  const { candidates, ...known } = await search;
  return { ...known, candidates: addLoads(candidates, await loads) };
}

async function readShardLoads(binding: D1Database, shard: number): Promise<AgentLoads> {
  try {
    return await withTimeout(AGENT_LOADS_TIMEOUT_MS, readAgentLoads(getDatabase(binding)));
  } catch (fault) {
    log.warn("agent_loads_read_failed", { shard, error: redactDatabaseError(fault) });
    return NO_LOADS;
  }
}

/** Who could take a task, by whom the task was for. */
const searchCache = new TtlCache<CandidateSearch>(AGENT_CACHE_MS, AGENT_CACHE_ENTRIES_MAX);
/** Agents' terms for tasks, by agent and the task's team. */
const termsCache = new TtlCache<AgentTerms>(AGENT_CACHE_MS, AGENT_CACHE_ENTRIES_MAX);
/** How often this isolate has changed agents, teams or grants. */
let changeCount = 0;

/** What a search lately found, with the tasks that it has been used for since; null when it must be made. */
export function findCachedSearch(filter: CandidateFilter, now: number): CandidateSearch | null {
  return searchCache.get(cacheKeyOf(filter), now) ?? null;
}

/** Makes a search and remembers what it found, unless something was changed under it. */
export async function searchAndCache(
  env: DirectoryEnv,
  filter: CandidateFilter,
  now: number,
): Promise<CandidateSearch> {
  return loadAndCache(searchCache, cacheKeyOf(filter), now, () => searchCandidates(env, filter));
}

/** One more task for an agent, which a remembered search does not know of. */
export function countAssignedTask(filter: CandidateFilter, agentId: string): void {
  searchCache.update(cacheKeyOf(filter), ({ candidates, ...known }) => ({
    ...known,
    candidates: candidates.map((candidate) =>
      candidate.agentId === agentId ? { ...candidate, load: candidate.load + 1 } : candidate,
    ),
  }));
}

/**
 * The agent's terms for a task; null if the agent cannot take tasks of this team (or, without a team, any
 * task). Null is never answered from the cache.
 */
export async function loadAgentTerms(
  db: Database,
  agentId: string,
  teamId: string | null,
  now: number,
): Promise<AgentTerms | null> {
  const name = JSON.stringify([agentId, teamId]);
  return (
    termsCache.get(name, now) ??
    loadAndCache(termsCache, name, now, () => findAssignableTerms(db, agentId, teamId))
  );
}

/** After a change of agents, teams or grants, so that it is felt here at once. */
export function invalidateAgents(): void {
  searchCache.clear();
  termsCache.clear();
  changeCount += 1;
}

/** Finds something and remembers it, unless there is nothing or something was changed under it. */
async function loadAndCache<Value, Found extends Value | null>(
  cache: TtlCache<Value>,
  name: string,
  now: number,
  find: () => Promise<Found>,
): Promise<Found> {
  const changeCountBefore = changeCount;
  const found = await find();
  if (found !== null && changeCount === changeCountBefore) cache.set(name, found, now);
  return found;
}

function cacheKeyOf({ agentId, teamId, excludedAgentIds }: CandidateFilter): string {
  return JSON.stringify([agentId, teamId, excludedAgentIds]);
}
