import { queueStub, queueTermsOf, type ClaimedTask } from "../../agents/queue/queue.rpc.ts";
import { checkClaimAgent } from "../../agents/read-agent.ts";
import { syncQueue } from "../../agents/queue/sync-queue.ts";
import { createFieldFailure, type Failure } from "../../kernel/failure.ts";
import { formatBinding, canActAs, ROOT_KEY_ID, type Key } from "../../keys/model/key.ts";
import { fail, ok, type Result } from "../../kernel/result.ts";
import { KEY_ENDED_FAILURE, reserveStream } from "../../keys/authenticate.ts";
import { KeyWatch } from "../../keys/key-watch.ts";
import type { ClaimBody } from "./schemas.ts";

export interface Claimant {
  /** Aborts when the client disconnects. */
  readonly signal: AbortSignal;
  /** Keeps a promise running after the request has ended. */
  readonly waitUntil: (promise: Promise<unknown>) => void;
}

/**
 * Claims tasks for a worker, most urgent first, each under a lease. Makes one D1 query, and another every few seconds
 * while it waits. The claim ends when its key is revoked or expires. If a client disconnects before it receives its
 * tasks, their leases expire.
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
    return watch.signal.aborted ? fail(KEY_ENDED_FAILURE) : tasks;
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
  const agent = await checkClaimAgent(env, agentId, keyId);
  if (!agent.ok) return agent;
  const reservation = body.waitSeconds === 0 ? ok(() => {}) : reserveStream(key, claimant.signal);
  if (!reservation.ok) return reservation;
  try {
    const overAt = Date.now() + body.waitSeconds * 1_000;
    const wanted = { ...body, keyId };
    const tasks = await claimUntil(env, agentId, wanted, overAt, claimant);
    if (tasks !== null) return ok(tasks);
    // The queue's copy of the agent's settings differs from the registry, or the registry has just changed.
    await syncQueue(env, agentId, queueTermsOf(agent.value.terms));
    return ok((await claimUntil(env, agentId, wanted, overAt, claimant)) ?? []);
  } finally {
    reservation.value();
  }
}

/** Claims from the queue. If the client disconnects, the claim is cancelled, so it receives no task. */
async function claimUntil(
  env: Pick<Env, "QUEUES">,
  agentId: string,
  { worker, max: tasksMax, leaseSeconds, keyId }: ClaimBody & { readonly keyId: string | null },
  overAt: number,
  { signal, waitUntil }: Claimant,
): Promise<readonly ClaimedTask[] | null> {
  if (signal.aborted) return [];
  const queue = queueStub(env.QUEUES, agentId);
  const id = crypto.randomUUID();
  const cancelClaim = (): void => waitUntil(queue.cancelClaim(id));
  signal.addEventListener("abort", cancelClaim, { once: true });
  try {
    const waitMs = Math.max(0, overAt - Date.now());
    return await queue.claim({ id, worker: worker ?? null, keyId, tasksMax, leaseSeconds, waitMs });
  } finally {
    signal.removeEventListener("abort", cancelClaim);
  }
}

/** The agent to claim for. A team's key cannot claim tasks, because a queue contains the tasks of all teams. */
function agentOf(key: Key, { agentId }: ClaimBody): Result<string, Failure> {
  const named = agentId ?? key.agentId;
  if (named !== null && !canActAs(key, named)) {
    return fail({ kind: "agent_mismatch", path: "agentId", bound: formatBinding(key) });
  }
  if (key.teamId !== null) return fail({ kind: "claim_by_team", teamId: key.teamId });
  if (named !== null) return ok(named);
  const rule =
    "is required because this key is not bound to an agent; send the id of the agent whose tasks to claim";
  return fail(createFieldFailure("agentId", rule));
}
