import * as z from "zod";
import type { Failure } from "../../domain/failure.ts";
import { invalid } from "../../domain/failure.ts";
import { boundTo, mayActAs, maySpend, type Key } from "../../domain/key.ts";
import { ID_CHARACTERS_MAX } from "../../domain/limits.ts";
import { fail, ok, type Result } from "../../domain/result.ts";
import { readQuery } from "../../http/query.ts";
import { validate } from "../../http/validate.ts";

const named = z.string().max(ID_CHARACTERS_MAX);
/** Query of /mcp: whom the calls are made as, and the task that pays for them. */
const query = z.object({ agentId: named.optional(), taskId: named.optional() });

/** As whom the request's URL lets the key act: by itself, or as a named agent, perhaps for a task. */
export function roleOf(
  url: URL,
  key: Key,
): Result<{ agentId: string | null; taskId: string | null }, Failure> {
  const given = readQuery(url.searchParams, Object.keys(query.shape));
  const read = validate(query, given.values);
  const problems = [...given.problems, ...(read.ok ? [] : read.failure)];
  if (!read.ok || problems.length > 0) return fail({ kind: "validation", problems });
  const { agentId = key.agentId, taskId = null } = read.value;
  if (agentId !== null && !mayActAs(key, agentId)) {
    return fail({ kind: "agent_mismatch", path: "agentId", bound: boundTo(key) });
  }
  if (taskId === null) return ok({ agentId, taskId });
  if (!maySpend(key)) return fail({ kind: "insufficient_scope", scopes: ["tasks:write"] });
  if (agentId !== null) return ok({ agentId, taskId });
  const bound = key.teamId === null ? "no agent" : "a team, not to an agent";
  const rule = `is required beside taskId: the task's own agent, as this key is bound to ${bound}`;
  return fail(invalid("agentId", rule));
}
