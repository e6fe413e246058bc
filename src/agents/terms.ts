import { database } from "../db/client.ts";
import type { AgentTerms } from "../domain/agent.ts";
import { recentTerms } from "./recent.ts";
import { termsOf } from "./registry.ts";

/** What a task must know of its agent, as this isolate saw it within the last second; null for one that takes none. */
export function recentTermsOf(env: Pick<Env, "DB">, agentId: string): Promise<AgentTerms | null> {
  return recentTerms(agentId, Date.now(), () => termsOf(database(env.DB), agentId));
}
