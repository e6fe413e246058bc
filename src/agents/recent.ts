import { Lately } from "../clock/lately.ts";
import { CANDIDATES_KNOWN_MS, CANDIDATE_SEARCHES_MAX } from "../domain/limits.ts";
import type { CandidateFilter, CandidateSearch } from "./registry.ts";

/** Who could take a task, by whom the task was for. */
const recent = new Lately<CandidateSearch>(CANDIDATES_KNOWN_MS, CANDIDATE_SEARCHES_MAX);
/** How often this isolate has changed agents, teams or grants. */
let changes = 0;

/** What a search lately found, with the tasks that it has been used for since; null when it must be made. */
export function recentSearch(filter: CandidateFilter, now: number): CandidateSearch | null {
  return recent.get(nameOf(filter), now) ?? null;
}

/** Makes a search and remembers what it found, unless something was changed under it. */
export async function rememberedSearch(
  filter: CandidateFilter,
  now: number,
  search: () => Promise<CandidateSearch>,
): Promise<CandidateSearch> {
  const changesBefore = changes;
  const found = await search();
  if (changes === changesBefore) recent.set(nameOf(filter), found, now);
  return found;
}

/** One more task for an agent, which a remembered search does not know of. */
export function countTask(filter: CandidateFilter, agentId: string): void {
  recent.change(nameOf(filter), ({ candidates, ...known }) => ({
    ...known,
    candidates: candidates.map((candidate) =>
      candidate.agentId === agentId ? { ...candidate, load: candidate.load + 1 } : candidate,
    ),
  }));
}

/** After a change of agents, teams or grants, so that it is felt here at once. */
export function forgetSearches(): void {
  recent.forgetAll();
  changes += 1;
}

function nameOf({ agentId, teamId, excludedAgentIds }: CandidateFilter): string {
  return JSON.stringify([agentId, teamId, excludedAgentIds]);
}
