import { TtlCache } from "../platform/ttl-cache.ts";
import {
  type Database,
  getDatabase,
  queryOrNull,
  type DirectoryEnv,
  listDirectoryDatabases,
} from "../platform/d1/client.ts";
import { AGENT_CACHE_ENTRIES_MAX, AGENT_CACHE_MS, AGENT_LOADS_TIMEOUT_MS } from "./limits.ts";
import {
  findAssignableTerms,
  findCandidates,
  readAgentLoads,
  type AssignableTerms,
} from "./assignment.store.ts";
import {
  addLoads,
  chooseAgent,
  deriveTaskNeeds,
  toRequestedChoice,
  type AgentLoads,
  type AssignableTask,
  type CandidateFilter,
  type CandidateSearch,
} from "../tasks/model/assignment.ts";
import type { AgentChoice } from "../tasks/model/task.ts";

const NO_LOADS: AgentLoads = new Map();

/** Candidates with their loads. Throws if the registry query fails; if another shard fails, its loads are omitted. */
async function searchCandidates(
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
  const read = readAgentLoads(getDatabase(binding));
  const loads = queryOrNull(AGENT_LOADS_TIMEOUT_MS, read, "agent_loads_read_failed", { shard });
  return (await loads) ?? NO_LOADS;
}

/**
 * The agent that the task's creator requested, or the best agent right now if none was requested. Null if no agent can
 * take the task.
 */
export async function chooseAgentForTask(
  env: DirectoryEnv,
  task: AssignableTask,
): Promise<AgentChoice | null> {
  const { teamId, requestedAgentId: agentId } = task;
  const excludedAgentIds = agentId === null ? task.excludedAgentIds : [];
  const { candidates } = await searchCandidates(env, { agentId, teamId, excludedAgentIds });
  const [requested] = candidates;
  if (agentId !== null) return requested === undefined ? null : toRequestedChoice(requested);
  return chooseAgent(deriveTaskNeeds(task.task, task.deliverableTypes, task.context), candidates);
}

/** Search results by filter. */
const searchCache = new TtlCache<CandidateSearch>(AGENT_CACHE_MS, AGENT_CACHE_ENTRIES_MAX);
/** Agent settings by agent and task team. */
const termsCache = new TtlCache<AssignableTerms>(AGENT_CACHE_MS, AGENT_CACHE_ENTRIES_MAX);
/** Counts changes to agents, teams and grants in this isolate. */
let changeCount = 0;

/** A cached search result, updated with the tasks assigned since the search; null if none is cached. */
export function findCachedSearch(filter: CandidateFilter, now: number): CandidateSearch | null {
  return searchCache.get(cacheKeyOf(filter), now) ?? null;
}

/** Runs a search and caches the result unless agents changed in the meantime. */
export async function searchAndCache(
  env: DirectoryEnv,
  filter: CandidateFilter,
  now: number,
): Promise<CandidateSearch> {
  return loadAndCache(searchCache, cacheKeyOf(filter), now, () => searchCandidates(env, filter));
}

/** Increments an agent's load in a cached search result. */
export function countAssignedTask(filter: CandidateFilter, agentId: string): void {
  searchCache.update(cacheKeyOf(filter), ({ candidates, ...known }) => ({
    ...known,
    candidates: candidates.map((candidate) =>
      candidate.agentId === agentId ? { ...candidate, load: candidate.load + 1 } : candidate,
    ),
  }));
}

/**
 * The agent's settings for a task; null if it is disabled or not in the task's team. Only settings of an agent that can
 * work are cached, so a task never waits for an agent that has been resumed.
 */
export async function loadAgentTerms(
  db: Database,
  agentId: string,
  teamId: string | null,
  now: number,
): Promise<AssignableTerms | null> {
  const name = JSON.stringify([agentId, teamId]);
  return (
    termsCache.get(name, now) ??
    loadAndCache(termsCache, name, now, () => findAssignableTerms(db, agentId, teamId), isWorking)
  );
}

function isWorking({ isPaused }: AssignableTerms): boolean {
  return !isPaused;
}

/** Clears the caches after agents, teams or grants change. */
export function invalidateAgents(): void {
  searchCache.clear();
  termsCache.clear();
  changeCount += 1;
}

/** Loads a value and caches it, unless it is null, may not be cached, or agents changed in the meantime. */
async function loadAndCache<Value, Found extends Value | null>(
  cache: TtlCache<Value>,
  name: string,
  now: number,
  find: () => Promise<Found>,
  isCacheable: (found: Value) => boolean = () => true,
): Promise<Found> {
  const changeCountBefore = changeCount;
  const found = await find();
  const isCurrent = changeCount === changeCountBefore;
  if (found !== null && isCurrent && isCacheable(found)) cache.set(name, found, now);
  return found;
}

function cacheKeyOf({ agentId, teamId, excludedAgentIds }: CandidateFilter): string {
  return JSON.stringify([agentId, teamId, excludedAgentIds]);
}
