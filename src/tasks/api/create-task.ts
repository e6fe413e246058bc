import { BUILTIN_PHASES } from "../model/builtin-phases.ts";
import { countAssignedTask, findCachedSearch, searchAndCache } from "../../agents/agent-cache.ts";
import { sha256Hex } from "../../platform/crypto/sha256.ts";
import {
  chooseAgent,
  deriveTaskNeeds,
  toRequestedChoice,
  type CandidateSearch,
  type TaskNeeds,
} from "../model/assignment.ts";
import {
  estimateBuiltinTask,
  estimateExternalTask,
  type DurationEstimate,
} from "../model/estimate.ts";
import { createFieldFailure, type Failure } from "../../kernel/failure.ts";
import { formatBinding, canActAs, type Key } from "../../keys/model/key.ts";
import { STORED_BYTES_UNIT } from "../limits.ts";
import { fail, ok, type Result } from "../../kernel/result.ts";
import type { AgentChoice, Task } from "../model/task.ts";
import { checkKeyUsage } from "../../keys/check-usage.ts";
import { readTaskTiming } from "../runtime/timing.ts";
import { newTaskStub } from "../task.rpc.ts";
import type { CreateTaskBody } from "./schemas.ts";

/**
 * Creates a task with an agent chosen where one fits, or finds the one that the same idempotency key
 * made before. One query for the agent; the task's object does the rest.
 */
export async function createTask(
  env: Env,
  key: Key,
  body: CreateTaskBody,
  idempotencyKey: string | null,
): Promise<Result<{ id: string; task: Task; replayed: boolean }, Failure>> {
  const target = targetOf(key, body);
  if (!target.ok) return target;
  const { teamId } = target.value;
  const idempotency = idempotencyKey === null ? null : { keyId: key.id, key: idempotencyKey };
  const { id, port } = newTaskStub(env.TASKS, idempotency);
  const fingerprint = idempotency === null ? "" : await fingerprintOf(body);
  if (idempotency !== null) {
    const earlier = await port.replay(fingerprint);
    if (!earlier.ok) return earlier;
    if (earlier.value !== null) return ok({ id, ...earlier.value });
  }
  const need = deriveTaskNeeds(body.task, body.deliverables, body.context);
  const found = await assigneeFor(env, key, target.value, need);
  if (!found.ok) return found;
  // After the search, so that an unknown agent or team takes as long as one that the key cannot see.
  const more = { liveTasks: 1, storedBytes: STORED_BYTES_UNIT };
  const exceeded = await checkKeyUsage(env, key, more);
  if (exceeded !== null) return fail(exceeded);
  const { search, choice } = found.value;
  const estimated = estimateFor(env, body, search, choice);
  const created = await port.create({
    task: body.task,
    teamId,
    choice,
    priority: body.priority,
    deadline: body.deadline ?? null,
    deliverables: body.deliverables,
    context: body.context,
    budget: body.budget ?? null,
    estimatedCompletion: estimated.completionAt,
    estimatedDurationMs: estimated.durationMs,
    createdBy: key.id,
    fingerprint,
  });
  return created.ok ? ok({ id, ...created.value }) : created;
}

interface Target {
  readonly agentId: string | null;
  readonly teamId: string | null;
}

/** Whom the task is for: a bound key's own agent or team where the body names nobody. */
function targetOf(key: Key, body: CreateTaskBody): Result<Target, Failure> {
  const agentId = body.agentId ?? key.agentId;
  const teamId = body.teamId ?? key.teamId;
  if (agentId !== null && !canActAs(key, agentId)) {
    return fail({ kind: "agent_mismatch", path: "agentId", bound: formatBinding(key) });
  }
  if (key.teamId !== null && teamId !== key.teamId) {
    return fail({ kind: "agent_mismatch", path: "teamId", bound: formatBinding(key) });
  }
  return ok({ agentId, teamId });
}

/**
 * By what this isolate has lately seen of the agents, and nearly always without a query. That nobody is
 * to be found, or that there is no such agent or team, is never told from memory.
 */
async function assigneeFor(
  env: Env,
  key: Key,
  target: Target,
  need: TaskNeeds,
): Promise<Result<{ search: CandidateSearch; choice: AgentChoice | null }, Failure>> {
  const filter = { ...target, excludedAgentIds: [] };
  const now = Date.now();
  const known = findCachedSearch(filter, now);
  const early = known === null ? null : chosen(key, known, target, need);
  const isKnown = early?.ok === true && early.value !== null;
  const search = isKnown && known !== null ? known : await searchAndCache(env, filter, now);
  const choice = isKnown ? early : chosen(key, search, target, need);
  if (!choice.ok) return choice;
  if (choice.value !== null) countAssignedTask(filter, choice.value.agentId);
  return ok({ search, choice: choice.value });
}

function chosen(
  key: Key,
  search: CandidateSearch,
  { agentId, teamId }: Target,
  need: TaskNeeds,
): Result<AgentChoice | null, Failure> {
  if (agentId !== null && !search.agentKnown) {
    return fail({ kind: "not_found", what: "agent", id: agentId });
  }
  // An agent's own key is told alike of a team that it is not in and of one that there is not.
  if (teamId !== null && !search.teamKnown && key.agentId === null) {
    return fail({ kind: "not_found", what: "team", id: teamId });
  }
  if (agentId === null) return ok(chooseAgent(need, search.candidates));
  const [candidate] = search.candidates;
  if (candidate !== undefined) return ok(toRequestedChoice(candidate));
  const why = search.agentEnabled
    ? `must be a member of team "${teamId}", got "${agentId}"`
    : `must be an enabled agent, and "${agentId}" is disabled`;
  return fail(createFieldFailure("agentId", why));
}

/** By the agent that was chosen; where there is none yet, by what the built-in agents take. */
function estimateFor(
  env: Env,
  body: CreateTaskBody,
  { candidates }: CandidateSearch,
  choice: AgentChoice | null,
): DurationEstimate {
  const agent = candidates.find(({ agentId }) => agentId === choice?.agentId);
  const queued = agent?.load ?? 0;
  const now = Date.now();
  if (agent !== undefined && agent.executor !== "builtin") {
    return estimateExternalTask({ queued, places: agent.maxConcurrentTasks }, now);
  }
  const { stepIntervalMs } = readTaskTiming(env);
  const deliverables = body.deliverables.length;
  return estimateBuiltinTask(
    { steps: BUILTIN_PHASES.length, stepIntervalMs, deliverables, queued },
    now,
  );
}

/** SHA-256 of the body after validation: what makes a repeated request the same request. */
async function fingerprintOf(body: CreateTaskBody): Promise<string> {
  return sha256Hex(JSON.stringify(body));
}
