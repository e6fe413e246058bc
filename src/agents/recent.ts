import { Lately } from "../clock/lately.ts";
import type { Database } from "../db/client.ts";
import type { ShardsEnv } from "../db/shards.ts";
import type { AgentTerms } from "../domain/agent.ts";
import { AGENTS_KNOWN_MAX, AGENTS_KNOWN_MS } from "../domain/limits.ts";
import { searchCandidates } from "./candidates.ts";
import { termsOf, type CandidateFilter, type CandidateSearch } from "./registry.ts";

/** Who could take a task, by whom the task was for. */
const searches = new Lately<CandidateSearch>(AGENTS_KNOWN_MS, AGENTS_KNOWN_MAX);
/** Agents' terms for tasks, by agent and the task's team. */
const terms = new Lately<AgentTerms>(AGENTS_KNOWN_MS, AGENTS_KNOWN_MAX);
/** How often this isolate has changed agents, teams or grants. */
let changes = 0;

/** What a search lately found, with the tasks that it has been used for since; null when it must be made. */
export function recentSearch(filter: CandidateFilter, now: number): CandidateSearch | null {
  return searches.get(nameOf(filter), now) ?? null;
}

/** Makes a search and remembers what it found, unless something was changed under it. */
export async function rememberedSearch(
  env: ShardsEnv,
  filter: CandidateFilter,
  now: number,
): Promise<CandidateSearch> {
  return remembered(searches, nameOf(filter), now, () => searchCandidates(env, filter));
}

/** One more task for an agent, which a remembered search does not know of. */
export function countTask(filter: CandidateFilter, agentId: string): void {
  searches.change(nameOf(filter), ({ candidates, ...known }) => ({
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
export async function recentTerms(
  db: Database,
  agentId: string,
  teamId: string | null,
  now: number,
): Promise<AgentTerms | null> {
  const name = JSON.stringify([agentId, teamId]);
  return terms.get(name, now) ?? remembered(terms, name, now, () => termsOf(db, agentId, teamId));
}

/** After a change of agents, teams or grants, so that it is felt here at once. */
export function forgetAgents(): void {
  searches.forgetAll();
  terms.forgetAll();
  changes += 1;
}

/** Finds something and remembers it, unless there is nothing or something was changed under it. */
async function remembered<Value, Found extends Value | null>(
  memory: Lately<Value>,
  name: string,
  now: number,
  find: () => Promise<Found>,
): Promise<Found> {
  const changesBefore = changes;
  const found = await find();
  if (found !== null && changes === changesBefore) memory.set(name, found, now);
  return found;
}

function nameOf({ agentId, teamId, excludedAgentIds }: CandidateFilter): string {
  return JSON.stringify([agentId, teamId, excludedAgentIds]);
}
