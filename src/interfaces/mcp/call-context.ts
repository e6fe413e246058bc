import * as z from "zod";
import { createFieldFailure, type Failure } from "../../kernel/failure.ts";
import { canActAs, canCallForTask, formatBinding, type Key } from "../../keys/model/key.ts";
import { ID_CHARACTERS_MAX } from "../../kernel/limits.ts";
import { fail, ok, type Result } from "../../kernel/result.ts";
import type { Actor } from "../../governance/model/audit-entry.ts";
import { readQuery, validateSchema } from "../../http/validation.ts";

/** Everything needed to handle one MCP request. */
export interface McpCallContext {
  readonly env: Env;
  readonly key: Key;
  /** The client that sends the request. */
  readonly actor: Actor;
  /** The request's origin, used in links. */
  readonly origin: string;
  /** The agent that calls tools. If null, there is no agent, and grants do not apply. */
  readonly agentId: string | null;
  /** The task whose budget pays for capability calls. */
  readonly taskId: string | null;
  /** Keeps a promise running after the client disconnects. */
  readonly waitUntil: (promise: Promise<unknown>) => void;
}

/** Whether the client may use capabilities. A key bound to a team requires a URL that names an agent. */
export function canUseCapabilities({ key, agentId }: McpCallContext): boolean {
  return key.scopes.includes("tools:invoke") && (key.teamId === null || agentId !== null);
}

const idParameter = z.string().max(ID_CHARACTERS_MAX);
/** The query of /mcp: the calling agent, and the task that pays for calls. */
const mcpQuery = z.object({ agentId: idParameter.optional(), taskId: idParameter.optional() });

/**
 * The agent and the task that the URL names. The agent defaults to the one that the key is bound to. Fails if the key
 * may not act as the agent or call tools for a task.
 */
export function resolveMcpActor(
  url: string,
  key: Key,
): Result<{ agentId: string | null; taskId: string | null }, Failure> {
  const given = readQuery(url, Object.keys(mcpQuery.shape));
  const read = validateSchema(mcpQuery, given.values);
  const problems = [...given.problems, ...(read.ok ? [] : read.failure)];
  if (!read.ok || problems.length > 0) return fail({ kind: "validation", problems });
  const { agentId = key.agentId, taskId = null } = read.value;
  if (agentId !== null && !canActAs(key, agentId)) {
    return fail({ kind: "agent_mismatch", path: "agentId", bound: formatBinding(key) });
  }
  if (taskId === null) return ok({ agentId, taskId });
  if (!canCallForTask(key)) return fail({ kind: "insufficient_scope", scopes: ["tasks:write"] });
  if (agentId !== null) return ok({ agentId, taskId });
  const bound = key.teamId === null ? "is not bound to an agent" : "is bound to a team";
  const rule = `is required with taskId, because this key ${bound}; set it to the id of the task's agent`;
  return fail(createFieldFailure("agentId", rule));
}
