import { queueOf, queueTermsIn, type ClaimedTask } from "../../agents/queue/port.ts";
import { standingForClaim, type Standing } from "../../agents/registry.ts";
import { settleQueue } from "../../agents/settle.ts";
import { database } from "../../db/client.ts";
import { invalid, type Failure } from "../../domain/failure.ts";
import { boundTo, mayActAs, ROOT_KEY_ID, type Key } from "../../domain/key.ts";
import { shown } from "../../domain/problem.ts";
import { fail, ok, type Result } from "../../domain/result.ts";
import { holdOpen } from "../../keys/key-limits.ts";
import { KEY_ENDED, KeyWatch } from "../../keys/watch.ts";
import type { ClaimBody } from "./wire.ts";

/** The client of a claim, as long as it is there. */
export interface Claimant {
  /** Aborted when the client goes away. */
  readonly signal: AbortSignal;
  /** Lets a promise come to its end although the request has come to its own. */
  readonly waitUntil: (promise: Promise<unknown>) => void;
}

/**
 * Claims tasks for a worker, most urgent first, each under a lease. One D1 query, and one every few seconds
 * while it waits. The claim ends with its key. Leases given to a client that has disconnected expire.
 */
export async function claimTasks(
  env: Pick<Env, "DB" | "QUEUES">,
  key: Key,
  body: ClaimBody,
  { signal, waitUntil }: Claimant,
): Promise<Result<readonly ClaimedTask[], Failure>> {
  const agent = agentOf(key, body);
  if (!agent.ok) return agent;
  const watch = new KeyWatch(env, key);
  watch.start();
  try {
    const either = AbortSignal.any([signal, watch.signal]);
    const tasks = await claimOf(env, key, agent.value, body, { signal: either, waitUntil });
    return watch.signal.aborted ? fail(KEY_ENDED) : tasks;
  } finally {
    watch.stop();
  }
}

async function claimOf(
  env: Pick<Env, "DB" | "QUEUES">,
  key: Key,
  agentId: string,
  body: ClaimBody,
  claimant: Claimant,
): Promise<Result<readonly ClaimedTask[], Failure>> {
  const keyId = key.id === ROOT_KEY_ID ? null : key.id;
  const { standing, isKeyValid } = await standingForClaim(database(env.DB), agentId, keyId);
  if (!isKeyValid) return fail(KEY_ENDED);
  if (standing === null) return fail({ kind: "not_found", what: "agent", id: agentId });
  const problem = standingProblem(agentId, standing);
  if (problem !== null) return fail(invalid("agentId", problem));
  if (!standing.enabled) return fail({ kind: "agent_disabled", agentId });
  const held = body.waitSeconds === 0 ? ok(() => {}) : holdOpen(key, claimant.signal);
  if (!held.ok) return held;
  try {
    const overAt = Date.now() + body.waitSeconds * 1_000;
    const wanted = { ...body, keyId };
    const tasks = await claimUntil(env, agentId, wanted, overAt, claimant);
    if (tasks !== null) return ok(tasks);
    // The queue's terms differ from those in the registry, or the registry has just changed.
    await settleQueue(env, agentId, queueTermsIn(standing.terms));
    return ok((await claimUntil(env, agentId, wanted, overAt, claimant)) ?? []);
  } finally {
    held.value();
  }
}

/** As `QueuePort.claim`; a claim whose client goes away leaves the queue, so that it swallows no task. */
async function claimUntil(
  env: Pick<Env, "QUEUES">,
  agentId: string,
  { worker, max: tasksMax, leaseSeconds, keyId }: ClaimBody & { readonly keyId: string | null },
  overAt: number,
  { signal, waitUntil }: Claimant,
): Promise<readonly ClaimedTask[] | null> {
  if (signal.aborted) return [];
  const queue = queueOf(env.QUEUES, agentId);
  const id = crypto.randomUUID();
  const giveUp = (): void => waitUntil(queue.giveUp(id));
  signal.addEventListener("abort", giveUp, { once: true });
  try {
    const waitMs = Math.max(0, overAt - Date.now());
    return await queue.claim({ id, worker: worker ?? null, keyId, tasksMax, leaseSeconds, waitMs });
  } finally {
    signal.removeEventListener("abort", giveUp);
  }
}

/** A queue holds tasks of whatever team, and a team's key may see its own alone: it claims nothing. */
function agentOf(key: Key, { agentId }: ClaimBody): Result<string, Failure> {
  const named = agentId ?? key.agentId;
  if (named !== null && !mayActAs(key, named)) {
    return fail({ kind: "agent_mismatch", path: "agentId", bound: boundTo(key) });
  }
  if (key.teamId !== null) return fail({ kind: "claim_by_team", teamId: key.teamId });
  if (named !== null) return ok(named);
  const rule = "is required: the agent whose tasks are to be claimed, as this key is bound to none";
  return fail(invalid("agentId", rule));
}

function standingProblem(agentId: string, { terms }: Standing): string | null {
  if (terms.executor === "worker") return null;
  return `must be an agent with the executor worker, and ${shown(agentId)} has ${terms.executor}`;
}
