import type { AgentSecret } from "../../agents/model/agent.ts";
import { A2A_CARD_BYTES_MAX, A2A_CARD_TIMEOUT_MS } from "./limits.ts";
import { UPSTREAM_JSON_DEPTH_MAX } from "../../platform/limits.ts";
import { fail, type Result } from "../../kernel/result.ts";
import type { Egress, EgressFailure, EgressResponse } from "../../platform/egress/contract.ts";
import { isWithinDepth } from "../../kernel/json.ts";
import { createRedactor } from "../../tools/model/redaction.ts";
import { parseAgentCard, type A2aAgentCard } from "./agent-card.ts";
import { buildAuthorizedHeaders, toAgentAuthorization } from "../authorization.ts";

const WELL_KNOWN_PATH = "/.well-known/agent-card.json";

/**
 * Reads an agent card (A2A 1.0) and judges it. The failure completes "cardUrl …"; it never holds the
 * key, which is sent to the origin of `cardUrl` alone.
 */
export async function fetchCardForRegistration(
  egress: Egress,
  cardUrl: string,
  secret: AgentSecret | null,
  signal?: AbortSignal,
): Promise<Result<A2aAgentCard, string>> {
  const card = await fetchAgentCard(egress, cardUrl, secret, signal);
  if (card.ok) return card;
  return fail(createRedactor(toAgentAuthorization(secret)).text(card.failure.reason));
}

/** Why the card cannot be read. `isPassing`: a later attempt may succeed. `status`: of an HTTP error. */
export interface AgentCardFetchFailure {
  /** For the client that registers the agent and knows its address. */
  readonly reason: string;
  /** The reason without addresses, for all readers of the agent's tasks. */
  readonly publicReason: string;
  readonly isTransient: boolean;
  readonly status: number | null;
}

/** The same, with what a turn must know of a failure. */
export async function fetchAgentCard(
  egress: Egress,
  cardUrl: string,
  secret: AgentSecret | null,
  signal?: AbortSignal,
): Promise<Result<A2aAgentCard, AgentCardFetchFailure>> {
  const url = URL.parse(cardUrl);
  if (url === null)
    return failPermanently("must be a whole URL, such as https://agents.example.com/card.json");
  const headers = buildAuthorizedHeaders(
    { Accept: "application/json", "A2A-Version": "1.0" },
    toAgentAuthorization(secret),
  );
  if (headers === null) return failPermanently("needs a key and a header that HTTP can carry");
  const request = new Request(url, { headers, ...(signal === undefined ? {} : { signal }) });
  const bounds = {
    timeoutMs: A2A_CARD_TIMEOUT_MS,
    bytesMax: A2A_CARD_BYTES_MAX,
    sendsSecret: secret !== null,
  };
  const exchange = await egress.send(request, bounds);
  if (!exchange.ok) return fail(fromEgressFailure(exchange.failure));
  if (exchange.value.status !== 200)
    return fail(fromErrorStatus(exchange.value, url, secret !== null));
  const raw = decodeJson(exchange.value.bytes);
  if (raw === undefined) {
    const reason = "leads to something that is not JSON";
    return failPermanently(`${reason}; ${formatLocationHint(url)}`, reason);
  }
  if (!isWithinDepth(raw, UPSTREAM_JSON_DEPTH_MAX)) {
    return failPermanently(
      `leads to JSON that is nested more than ${UPSTREAM_JSON_DEPTH_MAX} levels deep`,
    );
  }
  const card = parseAgentCard(raw, url);
  if (!card.ok) return failPermanently(card.failure.reason, card.failure.publicReason);
  const endpointUrl = card.value.endpoint.url;
  const checked = await egress.checkUrl(
    endpointUrl,
    secret !== null && URL.parse(endpointUrl)?.origin === url.origin,
  );
  if (!checked.ok) {
    const publicReason =
      "names an agent whose interface is at an address to which requests are not allowed";
    return failPermanently(`names an agent whose interface ${checked.failure}`, publicReason);
  }
  return card;
}

function failPermanently(
  reason: string,
  publicReason = reason,
): Result<never, AgentCardFetchFailure> {
  return fail({ reason, publicReason, isTransient: false, status: null });
}

function fromEgressFailure(fault: EgressFailure): AgentCardFetchFailure {
  switch (fault.kind) {
    case "refused": {
      const leads = fault.because === "redirect" ? `leads to ${fault.url}, which ` : "";
      const publicReason = "leads to an address to which requests are not allowed";
      const reason = `${leads}${fault.reason}`;
      return { reason, publicReason, isTransient: false, status: null };
    }
    case "timeout": {
      const reason = `did not answer within ${fault.timeoutMs / 1_000} seconds`;
      return { reason, publicReason: reason, isTransient: true, status: null };
    }
    case "unreachable": {
      const publicReason = "cannot be reached";
      const reason = `${publicReason}: ${fault.reason}`;
      return { reason, publicReason, isTransient: true, status: null };
    }
    case "too_large": {
      const reason = `leads to more than ${fault.bytesMax / 1024} KiB, which is no agent card`;
      return { reason, publicReason: reason, isTransient: false, status: null };
    }
  }
}

function fromErrorStatus(
  { status }: EgressResponse,
  url: URL,
  hasKey: boolean,
): AgentCardFetchFailure {
  if (status === 401 || status === 403) {
    const what = hasKey ? "does not take the agent's key" : "wants a key";
    const reason = `${what} (HTTP ${status})`;
    return { reason, publicReason: reason, isTransient: false, status };
  }
  const isPassing = status === 429 || status >= 500;
  const publicReason = `answers HTTP ${status}`;
  return {
    reason: isPassing ? publicReason : `${publicReason}; ${formatLocationHint(url)}`,
    publicReason,
    isTransient: isPassing,
    status,
  };
}

function formatLocationHint({ origin }: URL): string {
  return `agent cards usually lie at ${origin}${WELL_KNOWN_PATH}`;
}

/** `undefined` for what is not JSON. */
function decodeJson(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder("utf-8", { fatal: true, ignoreBOM: false }).decode(bytes));
  } catch {
    return undefined;
  }
}
