import type { AgentSecret } from "./model/agent.ts";
import type { Failure } from "../kernel/failure.ts";
import type { Json } from "../kernel/json.ts";
import { fail, ok, type Result } from "../kernel/result.ts";
import { unseal, seal, parseSealKeys } from "../platform/crypto/seal.ts";
import { log } from "../platform/log.ts";

export type AgentSealEnv = Pick<Env, "CREDENTIALS_KEY">;

/** A secret as its agent's row holds it: it opens for the same agent alone. */
export async function sealAgentSecret(
  env: AgentSealEnv,
  agentId: string,
  secret: AgentSecret,
): Promise<Result<string, Failure>> {
  const keys = parseSealKeys(env.CREDENTIALS_KEY);
  if (!keys.ok) return keys;
  return ok(await seal(keys.value, sealUseOf(agentId), secret));
}

/** What lies sealed in an agent's row; the failure is a sentence that says what to do. */
export async function openAgentSecret(
  env: AgentSealEnv,
  agentId: string,
  sealed: string | null,
): Promise<Result<AgentSecret | null, string>> {
  if (sealed === null) return ok(null);
  const keys = parseSealKeys(env.CREDENTIALS_KEY);
  const opened = keys.ok ? await unseal(keys.value, sealUseOf(agentId), sealed) : null;
  if (opened !== null) return ok(asAgentSecret(opened.value));
  log.warn("agent_secret_decrypt_failed", { agentId });
  return fail(
    `The API key of agent ${agentId} was sealed under a key that CREDENTIALS_KEY does not hold; give it again with PATCH /agents/${agentId}.`,
  );
}

function sealUseOf(agentId: string): string {
  return `agent ${agentId}`;
}

/** What opens under a key and for a use of ours, `sealAgentSecret` has sealed. */
function asAgentSecret(value: Json): AgentSecret {
  return value as unknown as AgentSecret;
}
