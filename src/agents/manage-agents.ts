import { audited, type AuditEnv } from "../governance/audit/audited.ts";
import { changeEntry, type Actor } from "../governance/model/audit-entry.ts";
import { getDatabase, type Database, type DirectoryEnv } from "../platform/d1/client.ts";
import { agentTermsOf, hasQueue, type Agent, type ExecutorConfig } from "./model/agent.ts";
import type { Failure } from "../kernel/failure.ts";
import {
  DESCRIPTION_CHARACTERS_MAX,
  LIST_ITEMS_MAX,
  NAME_CHARACTERS_MAX,
} from "../kernel/limits.ts";
import { isSameJson, omitUndefined } from "../kernel/json.ts";
import { fail, ok, type Result } from "../kernel/result.ts";
import { sanitizeText } from "../kernel/text.ts";
import { takesOwnershipBySecret } from "../keys/model/key.ts";
import { invalidateKey } from "../keys/authenticate.ts";
import { prepareExecutor, type PrepareExecutorEnv } from "./prepare-executor.ts";
import type { A2aAgentCard } from "../executors/a2a/agent-card.ts";
import { queueStub, queueTermsOf } from "./queue/queue.rpc.ts";
import { invalidateAgents } from "./agent-cache.ts";
import { checkNewAgentId } from "./read-agent.ts";
import {
  deleteAgent,
  findAgent,
  insertAgent,
  updateAgent,
  type AgentChange,
} from "./agents.store.ts";
import { syncQueue, type SyncQueueEnv } from "./queue/sync-queue.ts";
import { findUnknownTeam } from "./teams/teams.store.ts";
import { toStoredLimits } from "./model/pause.ts";
import type { ChangeAgentBody, RegisterAgentBody } from "./schemas.ts";

export type ManageAgentsEnv = PrepareExecutorEnv & SyncQueueEnv & DirectoryEnv & AuditEnv;

export async function registerAgent(
  env: ManageAgentsEnv,
  body: RegisterAgentBody,
  by: Actor,
): Promise<Result<Agent, Failure>> {
  const db = getDatabase(env.DB);
  const teams = await checkTeams(db, body.teams);
  if (!teams.ok) return teams;
  const known = await findAgent(db, body.id);
  if (known !== null) {
    // An earlier attempt may have registered the agent but failed before it configured the queue.
    await syncQueueIfAny(env, known);
    return agentExists(body.id, false);
  }
  const unused = await checkNewAgentId(env, body.id);
  if (!unused.ok) return unused;
  const prepared = await prepareExecutor(env, body.id, body.executor, null);
  if (!prepared.ok) return prepared;
  const { executor, sealed, card } = prepared.value;
  const cardFields = card === null ? null : truncateCard(card);
  const registered = {
    ...body,
    name: body.name ?? (cardFields?.name || body.id),
    description: body.description ?? cardFields?.description ?? "",
    skills: body.skills ?? cardFields?.skills ?? [],
    executor,
    sealed,
    noProgress: toStoredLimits(body.noProgress),
    createdAt: Date.now(),
    createdBy: by.keyId,
  };
  const entry = changeEntry("agent", body.id, null, stateOf({ ...registered, pause: null }));
  const agent = await audited(env, by, (record) => insertAgent(db, registered, record(entry)));
  invalidateAgents();
  if (agent === null) return agentExists(body.id, (await findAgent(db, body.id)) === null);
  await syncQueueIfAny(env, agent);
  return ok(agent);
}

/**
 * Updates an agent and configures its queue. A key that changes the executor becomes the agent's owner; the root key
 * does so only if it changes the executor's type, provider or address.
 */
export async function changeAgent(
  env: ManageAgentsEnv,
  id: string,
  body: ChangeAgentBody,
  by: Actor,
): Promise<Result<Agent, Failure>> {
  const db = getDatabase(env.DB);
  const before = await findAgent(db, id);
  if (before === null) return agentNotFound(id);
  const teams = await checkTeams(db, body.teams ?? []);
  if (!teams.ok) return teams;
  const prepared =
    body.executor === undefined ? ok(null) : await prepareExecutor(env, id, body.executor, before);
  if (!prepared.ok) return prepared;
  const next = prepared.value;
  // Waiting tasks are meant for the previous executor. Release them before the update, because a crash after it would
  // leave them in the queue.
  if (next !== null && next.executor.type !== before.executor.type) await closeQueue(env, before);
  const changesOwner =
    next !== null &&
    (hasOtherDestination(before.executor, next.executor) ||
      (takesOwnershipBySecret(by.keyId) &&
        (hasSecret(body.executor) || !isSameJson(before.executor, next.executor))));
  const kept = changesOwner ? null : before;
  const { noProgress, ...fields } = body;
  const change = {
    ...fields,
    ...(noProgress === undefined ? {} : { noProgress: toStoredLimits(noProgress) }),
    executor: next === null ? undefined : { ...next, by: by.keyId, kept },
  };
  const agent = await updateAudited(env, id, change, by);
  invalidateAgents();
  if (agent === null) return agentNotFound(id);
  // Sync after every change, because an earlier change may have failed before it configured the queue.
  await syncQueue(env, id, queueTermsOf(agentTermsOf(agent)));
  return ok(agent);
}

/**
 * Deletes an agent with its grants and memberships, and revokes its keys. Disables the agent first so that a failed
 * deletion can be retried.
 */
export async function removeAgent(
  env: ManageAgentsEnv,
  id: string,
  by: Actor,
): Promise<Result<true, Failure>> {
  const db = getDatabase(env.DB);
  const found = await findAgent(db, id);
  const agent =
    found?.enabled === true ? await updateAudited(env, id, { enabled: false }, by) : found;
  invalidateAgents();
  if (agent === null) return agentNotFound(id);
  // Needed even if the agent has no queue now, because tasks assigned while it had one can return to the queue.
  await closeQueue(env, agent);
  const revoked = await audited(env, by, async (record) => {
    const before = await findAgent(db, id);
    if (before === null) return null;
    return deleteAgent(db, id, Date.now(), record(changeEntry("agent", id, stateOf(before), null)));
  });
  if (revoked === null) return agentNotFound(id);
  for (const key of revoked) invalidateKey(key);
  return ok(true);
}

/** Updates an agent and records the change; null for an unknown agent. */
async function updateAudited(
  env: ManageAgentsEnv,
  id: string,
  change: AgentChange,
  by: Actor,
): Promise<Agent | null> {
  const db = getDatabase(env.DB);
  return audited(env, by, async (record) => {
    const before = await findAgent(db, id);
    if (before === null) return null;
    const { executor, ...fields } = change;
    const after = {
      ...before,
      ...omitUndefined(fields),
      ...(executor && { executor: executor.executor, sealed: executor.sealed }),
    };
    const secretsReplaced = after.sealed === before.sealed ? undefined : true;
    const is = { ...stateOf(after), secretsReplaced };
    return updateAgent(db, id, change, record(changeEntry("agent", id, stateOf(before), is)));
  });
}

/** An agent's state in the audit log. */
function stateOf(agent: Omit<Agent, "rating">) {
  const { executor, sealed, name, description, skills, teams, enabled, createdBy } = agent;
  const { maxConcurrentTasks, requireReview, requireTask } = agent;
  return {
    name,
    description,
    skills,
    teams: teams.toSorted(),
    enabled,
    executor,
    hasSecrets: sealed !== null,
    maxConcurrentTasks,
    requireReview,
    requireTask,
    createdBy,
  };
}

/** Whether a change sets or deletes an executor secret. */
function hasSecret(body: ChangeAgentBody["executor"]): boolean {
  if (body === undefined) return false;
  return (
    ("apiKey" in body && body.apiKey !== undefined) ||
    ("headers" in body && body.headers !== undefined)
  );
}

/** Whether two executors differ in type, provider or address. */
function hasOtherDestination(before: ExecutorConfig, after: ExecutorConfig): boolean {
  return !isSameJson(destinationOf(before), destinationOf(after));
}

function destinationOf(executor: ExecutorConfig) {
  switch (executor.type) {
    case "model":
      return { type: executor.type, provider: executor.provider, baseUrl: executor.baseUrl };
    case "a2a":
      return { type: executor.type, cardUrl: executor.cardUrl };
    default:
      return { type: executor.type };
  }
}

/** Closes an agent's queue; waiting tasks return to `pending`. */
async function closeQueue(env: ManageAgentsEnv, agent: Agent): Promise<void> {
  const terms = queueTermsOf(agentTermsOf(agent));
  await queueStub(env.QUEUES, agent.id).configure(agent.id, terms, false);
}

/**
 * Configures the agent's queue, if it has one. It may be closed because an earlier release deleted an agent with the
 * same id.
 */
async function syncQueueIfAny(env: ManageAgentsEnv, agent: Agent): Promise<void> {
  const terms = agentTermsOf(agent);
  if (hasQueue(terms)) await syncQueue(env, agent.id, queueTermsOf(terms));
}

async function checkTeams(db: Database, teams: readonly string[]): Promise<Result<null, Failure>> {
  const unknown = teams.length === 0 ? null : await findUnknownTeam(db, teams);
  return unknown === null ? ok(null) : fail({ kind: "not_found", what: "team", id: unknown });
}

/** The card's fields, sanitised and truncated to the limits for agents. */
function truncateCard({ name, description, skills }: A2aAgentCard) {
  const names = skills
    .map((skill) => sanitizeText(skill, NAME_CHARACTERS_MAX))
    .filter((skill) => skill !== "");
  return {
    name: sanitizeText(name, NAME_CHARACTERS_MAX),
    description: sanitizeText(description, DESCRIPTION_CHARACTERS_MAX),
    skills: [...new Set(names)].slice(0, LIST_ITEMS_MAX),
  };
}

function agentExists(agentId: string, deleted: boolean): Result<never, Failure> {
  return fail({ kind: "agent_exists", agentId, deleted });
}

function agentNotFound(id: string): Result<never, Failure> {
  return fail({ kind: "not_found", what: "agent", id });
}
