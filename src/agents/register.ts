import { database, type Database } from "../db/client.ts";
import type { ShardsEnv } from "../db/shards.ts";
import { hasQueue, type Executor } from "../domain/agent.ts";
import type { Failure } from "../domain/failure.ts";
import {
  DESCRIPTION_CHARACTERS_MAX,
  LIST_ITEMS_MAX,
  NAME_CHARACTERS_MAX,
} from "../domain/limits.ts";
import { isSameJson } from "../domain/json.ts";
import { fail, ok, type Result } from "../domain/result.ts";
import { cut } from "../domain/text.ts";
import { takesOverBySecret } from "../domain/key.ts";
import { forgetKey } from "../keys/authenticate.ts";
import { acceptExecutor, type AcceptEnv, type CardWords } from "./accept.ts";
import { queueTermsIn } from "./queue/port.ts";
import { forgetAgents } from "./recent.ts";
import { wasAgent } from "./reuse.ts";
import { termsIn, type Agent } from "./rows.ts";
import { closeQueue, settleQueue, type SettleEnv } from "./settle.ts";
import { deleteAgent, findAgent, insertAgent, updateAgent } from "./store.ts";
import { unknownTeam } from "./teams/store.ts";
import type { ChangeBody, RegisterBody } from "./wire.ts";

export type RegistryEnv = AcceptEnv & SettleEnv & ShardsEnv;

/** Puts a new agent into the registry. */
export async function registerAgent(
  env: RegistryEnv,
  body: RegisterBody,
  createdBy: string,
): Promise<Result<Agent, Failure>> {
  const db = database(env.DB);
  const teams = await checkTeams(db, body.teams);
  if (!teams.ok) return teams;
  const known = await findAgent(db, body.id);
  if (known !== null) {
    // Its registration may have broken off before the queue heard of it, and be made again.
    await openQueue(env, known);
    return taken(body.id, false);
  }
  if (await wasAgent(env, body.id)) return taken(body.id, true);
  const accepted = await acceptExecutor(env, body.id, body.executor, null);
  if (!accepted.ok) return accepted;
  const { executor, sealed, card } = accepted.value;
  const said = card === null ? null : fitting(card);
  const agent = await insertAgent(db, {
    ...body,
    name: body.name ?? (said?.name || body.id),
    description: body.description ?? said?.description ?? "",
    skills: body.skills ?? said?.skills ?? [],
    executor,
    sealed,
    createdAt: Date.now(),
    createdBy,
  });
  forgetAgents();
  if (agent === null) return taken(body.id, (await findAgent(db, body.id)) === null);
  await openQueue(env, agent);
  return ok(agent);
}

/**
 * Changes the given fields of an agent, and its queue. A key that changes the executor becomes the agent's owner;
 * the root key does so only if it changes the executor's type or address.
 */
export async function changeAgent(
  env: RegistryEnv,
  id: string,
  body: ChangeBody,
  by: string,
): Promise<Result<Agent, Failure>> {
  const db = database(env.DB);
  const before = await findAgent(db, id);
  if (before === null) return noAgent(id);
  const teams = await checkTeams(db, body.teams ?? []);
  if (!teams.ok) return teams;
  const accepted =
    body.executor === undefined ? null : await acceptExecutor(env, id, body.executor, before);
  if (accepted !== null && !accepted.ok) return accepted;
  const isTurning = accepted !== null && accepted.value.executor.type !== before.executor.type;
  // What waits was assigned to another kind of agent. First of all, as nothing tells of it afterwards.
  if (isTurning) await closeQueue(env, id, queueTermsIn(termsIn(before)));
  const next = accepted === null ? null : accepted.value;
  const isTakenOver =
    next !== null &&
    (hasOtherDestination(before.executor, next.executor) ||
      (takesOverBySecret(by) &&
        (hasSecret(body.executor) || !isSameJson(before.executor, next.executor))));
  const agent = await updateAgent(db, id, {
    ...body,
    executor: next === null ? undefined : { ...next, by, kept: isTakenOver ? null : before },
  });
  forgetAgents();
  if (agent === null) return noAgent(id);
  // Whatever has changed: an earlier change may have broken off before the queue heard of it.
  await settleQueue(env, id, queueTermsIn(termsIn(agent)));
  return ok(agent);
}

/**
 * Takes an agent out of the registry, with its grants, memberships and keys. It is disabled first, so
 * that whatever fails on the way is mended by doing it again.
 */
export async function removeAgent(env: RegistryEnv, id: string): Promise<Result<true, Failure>> {
  const db = database(env.DB);
  const agent = await updateAgent(db, id, { enabled: false });
  forgetAgents();
  if (agent === null) return noAgent(id);
  // Even where it has no queue now: tasks of a time when it had may come back to it.
  await closeQueue(env, id, queueTermsIn(termsIn(agent)));
  const revoked = await deleteAgent(db, id, Date.now());
  if (revoked === null) return noAgent(id);
  for (const key of revoked) forgetKey(key);
  return ok(true);
}

/** Whether a change contains a secret for the executor. */
function hasSecret(body: ChangeBody["executor"]): boolean {
  if (body === undefined) return false;
  return (
    ("apiKey" in body && body.apiKey !== undefined) ||
    ("headers" in body && body.headers !== undefined)
  );
}

/** Whether two executors differ in their type or address. */
function hasOtherDestination(before: Executor, after: Executor): boolean {
  return !isSameJson(destinationOf(before), destinationOf(after));
}

function destinationOf(executor: Executor): object {
  switch (executor.type) {
    case "model":
      return { type: executor.type, provider: executor.provider, baseUrl: executor.baseUrl };
    case "a2a":
      return { type: executor.type, cardUrl: executor.cardUrl };
    default:
      return { type: executor.type };
  }
}

/** An agent with the same id that an earlier release deleted may have left its queue closed. */
async function openQueue(env: RegistryEnv, agent: Agent): Promise<void> {
  const terms = termsIn(agent);
  if (hasQueue(terms)) await settleQueue(env, agent.id, queueTermsIn(terms));
}

async function checkTeams(db: Database, teams: readonly string[]): Promise<Result<null, Failure>> {
  const unknown = teams.length === 0 ? null : await unknownTeam(db, teams);
  return unknown === null ? ok(null) : fail({ kind: "not_found", what: "team", id: unknown });
}

/** What a card says within the bounds that hold for everybody. */
function fitting({ name, description, skills }: CardWords): CardWords {
  const names = skills
    .map((skill) => cut(skill, NAME_CHARACTERS_MAX))
    .filter((skill) => skill !== "");
  return {
    name: cut(name, NAME_CHARACTERS_MAX),
    description: cut(description, DESCRIPTION_CHARACTERS_MAX),
    skills: [...new Set(names)].slice(0, LIST_ITEMS_MAX),
  };
}

function taken(agentId: string, deleted: boolean): Result<never, Failure> {
  return fail({ kind: "agent_exists", agentId, deleted });
}

function noAgent(id: string): Result<never, Failure> {
  return fail({ kind: "not_found", what: "agent", id });
}
