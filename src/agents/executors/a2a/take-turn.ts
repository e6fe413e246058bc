import type { A2aExecutor } from "../../../domain/agent.ts";
import { A2A_FOLLOW_MS, A2A_WORK_MAX_MS } from "../../../domain/limits.ts";
import { ok, fail, type Result } from "../../../domain/result.ts";
import { authorisationOf } from "../authorisation.ts";
import type { TurnHands, TurnOutcome, TurnWork } from "../contract.ts";
import { callOffUnknown } from "./call-off.ts";
import { readOffer } from "./card.ts";
import { clientOf } from "./client.ts";
import { concluded } from "./conclude.ts";
import { lasting, passing, type Fault } from "./fault.ts";
import { follow, send, type Heard, type Talk } from "./follow.ts";
import { freshHeld, heldOf, reopened, type Endpoint, type Held } from "./held.ts";
import { Line } from "./line.ts";
import { Logbook } from "./logbook.ts";
import { heard, messageFor, nextCause } from "./message.ts";
import { Sight } from "./sight.ts";
import { WORDS, type Cause } from "./states.ts";
import { failed, troubled } from "./trouble.ts";

const DAY_MS = 24 * 60 * 60 * 1_000;
const DAYS_MAX = A2A_WORK_MAX_MS / DAY_MS;
const ENDLESS = `The A2A agent has not come to an end within ${DAYS_MAX} days.`;

/** See `a2aTurn`. */
export async function takeTurn(
  work: TurnWork<A2aExecutor>,
  hands: TurnHands,
): Promise<TurnOutcome> {
  const { task, egress, executor, secret, signal } = work;
  const startedAt = Date.now();
  const before = reopened(heldOf(task.work) ?? freshHeld(task.startedAt ?? startedAt), task);
  const cause = nextCause(task, before);
  // The task elsewhere is called off as with every attempt that fails.
  if (cause === null && startedAt - before.since > A2A_WORK_MAX_MS) return failed(ENDLESS, true);
  const found = await endpointFor(work, before);
  if (!found.ok) return troubled(work, before, found.failure, false);
  let endpoint = found.value;
  const log = new Logbook(hands, task, before);
  const sight = sightFor(cause, before);
  const line = new Line(egress, executor.cardUrl, authorisationOf(secret));
  let isTold = cause === null;
  const talk: Talk = {
    client: await clientOf(endpoint, line),
    line,
    sight,
    log,
    signal,
    endsAt: startedAt + A2A_FOLLOW_MS,
    arrived() {
      if (isTold) return;
      isTold = true;
      const { taskId, contextId } = sight;
      log.hold({ ...heard(task, log.held, Date.now()), endpoint, taskId, contextId });
    },
    giveUpStreams() {
      endpoint = { ...endpoint, streaming: false };
      log.hold({ ...log.held, endpoint });
    },
  };
  const came = await converse(talk, work, cause, endpoint);
  await log.close(sight, Date.now());
  if (log.isStopped) {
    await callOffUnknown(talk, work.taskId);
    return concluded({ kind: "stopped" }, talk, work, hands);
  }
  if (came.kind === "fault") return troubled(work, log.held, came.fault, log.held.isStarted);
  return concluded(came, talk, work, hands);
}

async function converse(
  talk: Talk,
  { taskId, task }: TurnWork<A2aExecutor>,
  cause: Cause | null,
  endpoint: Endpoint,
): Promise<Heard> {
  const { streaming, takesData } = endpoint;
  if (cause === null) return follow(talk, streaming);
  const message = messageFor(cause, taskId, task, talk.log.held, takesData);
  const came = await send(talk, message, streaming);
  const { kind } = came.kind === "fault" ? came.fault : { kind: null };
  if (cause !== "answer" || (kind !== "unsupported" && kind !== "ended")) return came;
  // Most likely it has heard the answer before a crash, and gone on to the end.
  talk.arrived();
  return follow(talk, false);
}

/**
 * How the agent is spoken to: as it was in the earlier turns, or as its card says. The `cardUrl` within
 * `work` tells of which card the endpoint is, so that an agent that has moved is asked for its card anew.
 */
async function endpointFor(
  { executor, egress, secret, signal }: TurnWork<A2aExecutor>,
  { endpoint }: Held,
): Promise<Result<Endpoint, Fault>> {
  const { cardUrl } = executor;
  if (endpoint !== null && endpoint.cardUrl === URL.parse(cardUrl)?.href) return ok(endpoint);
  const offer = await readOffer(egress, cardUrl, secret, signal);
  if (offer.ok) return ok(offer.value.endpoint);
  const { reason, publicReason, isPassing, status } = offer.failure;
  const clause = `its card ${publicReason}.`;
  const internal = reason === publicReason ? {} : { internalReason: `its card ${reason}.` };
  if (status === 401 || status === 403) return fail({ ...lasting(clause, "auth"), ...internal });
  return fail({ ...(isPassing ? passing(clause) : lasting(clause)), ...internal });
}

function sightFor(cause: Cause | null, { taskId, asked }: Held): Sight {
  const isSame = cause === null || WORDS[cause].task === "same";
  return new Sight(isSame ? taskId : null, cause === "answer" ? asked : null);
}
