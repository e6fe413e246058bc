import {
  BUILTIN_PHASES,
  estimateBuiltinTask,
  estimateExternalTask,
  type DurationEstimate,
  readTaskTiming,
} from "../model/schedule.ts";
import { countAssignedTask, findCachedSearch, searchAndCache } from "../../agents/agent-cache.ts";
import { sha256Hex } from "../../platform/crypto/hash.ts";
import { chooseAgent, deriveTaskNeeds, type CandidateSearch } from "../model/assignment.ts";
import { authorOf } from "../model/author.ts";
import type { Failure } from "../../kernel/failure.ts";
import { formatBinding, canActAs, type Key } from "../../keys/model/key.ts";
import { STORED_BYTES_UNIT } from "../limits.ts";
import { fail, ok, type Result } from "../../kernel/result.ts";
import type { AgentChoice, Task } from "../model/task.ts";
import { checkKeyUsage } from "../../keys/authenticate.ts";
import { newTaskStub } from "../task.rpc.ts";
import { chooseRequestedAgent } from "./requested-agent.ts";
import type { CreateTaskBody } from "./schemas.ts";

/** `contextId`: the one that an A2A client chose. `sessionId`: the console session that creates the task, if any. */
interface TaskSource {
  readonly contextId?: string | null;
  readonly sessionId?: string | undefined;
}

/**
 * Creates a task and chooses its agent, or returns the task already created with the same idempotency key.
 */
export async function createTask(
  env: Env,
  key: Key,
  body: CreateTaskBody,
  idempotencyKey: string | null,
  { contextId = null, sessionId }: TaskSource = {},
): Promise<Result<{ id: string; task: Task; replayed: boolean }, Failure>> {
  const target = findTarget(key, body);
  if (!target.ok) return target;
  const { teamId } = target.value;
  const idempotency = idempotencyKey === null ? null : { keyId: key.id, key: idempotencyKey };
  const { id, stub } = newTaskStub(env.TASKS, idempotency);
  const fingerprint = idempotency === null ? "" : await computeFingerprint(body, contextId);
  if (idempotency !== null) {
    const earlier = await stub.replay(fingerprint);
    if (!earlier.ok) return earlier;
    if (earlier.value !== null) return ok({ id, ...earlier.value });
  }
  const found = await findAssignee(env, key, body, target.value);
  if (!found.ok) return found;
  // Check the limits after the search, so the response for an unknown agent or team takes as long as the response for
  // one that the key cannot see.
  const more = { liveTasks: 1, storedBytes: STORED_BYTES_UNIT };
  const exceeded = await checkKeyUsage(env, key, more);
  if (exceeded !== null) return fail(exceeded);
  const { search, choice } = found.value;
  const estimated = estimateCompletion(env, body, search, choice);
  const created = await stub.create({
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
    by: authorOf(key, sessionId),
    fingerprint,
    ...(contextId === null ? {} : { contextId }),
    ...(body.title === undefined ? {} : { title: body.title }),
    ...(body.labels === undefined ? {} : { labels: body.labels }),
    ...(body.externalId === undefined ? {} : { externalId: body.externalId }),
  });
  return created.ok ? ok({ id, ...created.value }) : created;
}

interface Target {
  readonly agentId: string | null;
  readonly teamId: string | null;
}

/** Returns the requested agent and team. Each defaults to the one that the key is bound to. */
function findTarget(key: Key, body: CreateTaskBody): Result<Target, Failure> {
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

/** Chooses the agent from a cached search if possible. Always runs a new search before it fails or returns no agent. */
async function findAssignee(
  env: Env,
  key: Key,
  body: CreateTaskBody,
  target: Target,
): Promise<Result<{ search: CandidateSearch; choice: AgentChoice | null }, Failure>> {
  const filter = { ...target, excludedAgentIds: [] };
  const now = Date.now();
  const known = findCachedSearch(filter, now);
  const cachedChoice = known === null ? null : chooseFrom(key, body, known, target);
  const isKnown = cachedChoice?.ok === true && cachedChoice.value !== null;
  const search = isKnown && known !== null ? known : await searchAndCache(env, filter, now);
  const choice = isKnown ? cachedChoice : chooseFrom(key, body, search, target);
  if (!choice.ok) return choice;
  if (choice.value !== null) countAssignedTask(filter, choice.value.agentId);
  return ok({ search, choice: choice.value });
}

function chooseFrom(
  key: Key,
  { task, deliverables, context }: CreateTaskBody,
  search: CandidateSearch,
  { agentId, teamId }: Target,
): Result<AgentChoice | null, Failure> {
  if (agentId !== null && !search.agentKnown) {
    return fail({ kind: "not_found", what: "agent", id: agentId });
  }
  // A key bound to an agent gets the same failure for an unknown team as for a team without that agent.
  if (teamId !== null && !search.teamKnown && key.agentId === null) {
    return fail({ kind: "not_found", what: "team", id: teamId });
  }
  if (agentId === null) {
    return ok(chooseAgent(deriveTaskNeeds(task, deliverables, context), search.candidates));
  }
  return chooseRequestedAgent(search, agentId, teamId);
}

/** Estimates when the task will be completed by the chosen agent or, if none was chosen, by a built-in agent. */
function estimateCompletion(
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

/** The SHA-256 of the validated body and the context id, which together identify repeats of the request. */
async function computeFingerprint(body: CreateTaskBody, contextId: string | null): Promise<string> {
  return sha256Hex(JSON.stringify(contextId === null ? body : { ...body, contextId }));
}
