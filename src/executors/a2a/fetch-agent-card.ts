import type { AgentSecret } from "../../agents/model/agent.ts";
import { A2A_CARD_BYTES_MAX, A2A_CARD_TIMEOUT_MS } from "./limits.ts";
import { UPSTREAM_JSON_DEPTH_MAX } from "../../platform/limits.ts";
import { fail, type Result } from "../../kernel/result.ts";
import type { Egress, EgressFailure } from "../../platform/egress/contract.ts";
import { isWithinDepth, tryParseJson } from "../../kernel/json.ts";
import { createRedactor } from "../../tools/model/redaction.ts";
import { parseAgentCard, type A2aAgentCard } from "./agent-card.ts";
import { buildAuthorizedHeaders, toAgentAuthorization } from "../authorization.ts";

const WELL_KNOWN_PATH = "/.well-known/agent-card.json";

/**
 * Reads and checks an agent card (A2A 1.0). The failure completes "cardUrl …" and never contains the key,
 * which is sent only to the origin of `cardUrl`.
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

/** Why the card cannot be used. `isTransient`: a retry may succeed. `status`: of an HTTP error. */
interface AgentCardFetchFailure {
  /** For the client that registers the agent and knows its address. */
  readonly reason: string;
  /** The reason without addresses, for all readers of the agent's tasks. */
  readonly publicReason: string;
  readonly isTransient: boolean;
  readonly status: number | null;
}

/** Reads and checks an agent card; the failure says what a turn needs to know. */
export async function fetchAgentCard(
  egress: Egress,
  cardUrl: string,
  secret: AgentSecret | null,
  signal?: AbortSignal,
): Promise<Result<A2aAgentCard, AgentCardFetchFailure>> {
  const url = URL.parse(cardUrl);
  if (url === null)
    return cardFailure("must be a whole URL, such as https://agents.example.com/card.json");
  const headers = buildAuthorizedHeaders(
    { Accept: "application/json", "A2A-Version": "1.0" },
    toAgentAuthorization(secret),
  );
  if (headers === null) return cardFailure("needs a key and a header that HTTP can carry");
  const request = new Request(url, { headers, ...(signal === undefined ? {} : { signal }) });
  const bounds = {
    timeoutMs: A2A_CARD_TIMEOUT_MS,
    bytesMax: A2A_CARD_BYTES_MAX,
    sendsSecret: secret !== null,
  };
  const exchange = await egress.send(request, bounds);
  if (!exchange.ok) return toEgressCardFailure(exchange.failure);
  if (exchange.value.status !== 200)
    return toStatusCardFailure(exchange.value.status, url, secret !== null);
  const raw = tryParseJson(exchange.value.bytes);
  if (raw === undefined) {
    const reason = "leads to something that is not JSON";
    return cardFailure(reason, { reason: `${reason}; ${formatLocationHint(url)}` });
  }
  if (!isWithinDepth(raw, UPSTREAM_JSON_DEPTH_MAX)) {
    return cardFailure(
      `leads to JSON that is nested more than ${UPSTREAM_JSON_DEPTH_MAX} levels deep`,
    );
  }
  const card = parseAgentCard(raw, url);
  if (!card.ok) return cardFailure(card.failure.publicReason, { reason: card.failure.reason });
  const endpointUrl = card.value.endpoint.url;
  const checked = await egress.checkUrl(
    endpointUrl,
    secret !== null && URL.parse(endpointUrl)?.origin === url.origin,
  );
  if (!checked.ok) {
    const publicReason =
      "names an agent whose interface is at an address to which requests are not allowed";
    return cardFailure(publicReason, {
      reason: `names an agent whose interface ${checked.failure}`,
    });
  }
  return card;
}

function cardFailure(
  publicReason: string,
  details: Partial<AgentCardFetchFailure> = {},
): Result<never, AgentCardFetchFailure> {
  return fail({ reason: publicReason, publicReason, isTransient: false, status: null, ...details });
}

function toEgressCardFailure(failure: EgressFailure): Result<never, AgentCardFetchFailure> {
  switch (failure.kind) {
    case "refused": {
      const leads = failure.because === "redirect" ? `leads to ${failure.url}, which ` : "";
      const publicReason = "leads to an address to which requests are not allowed";
      return cardFailure(publicReason, { reason: `${leads}${failure.reason}` });
    }
    case "timeout": {
      const reason = `did not answer within ${failure.timeoutMs / 1_000} seconds`;
      return cardFailure(reason, { isTransient: true });
    }
    case "unreachable": {
      const publicReason = "cannot be reached";
      const reason = `${publicReason}: ${failure.reason}`;
      return cardFailure(publicReason, { reason, isTransient: true });
    }
    case "too_large":
      return cardFailure(
        `leads to more than ${failure.bytesMax / 1024} KiB, which is no agent card`,
      );
  }
}

function toStatusCardFailure(
  status: number,
  url: URL,
  hasKey: boolean,
): Result<never, AgentCardFetchFailure> {
  if (status === 401 || status === 403) {
    const what = hasKey ? "does not take the agent's key" : "wants a key";
    return cardFailure(`${what} (HTTP ${status})`, { status });
  }
  const isTransient = status === 429 || status >= 500;
  const publicReason = `answers HTTP ${status}`;
  const reason = isTransient ? publicReason : `${publicReason}; ${formatLocationHint(url)}`;
  return cardFailure(publicReason, { reason, isTransient, status });
}

function formatLocationHint({ origin }: URL): string {
  return `agent cards usually lie at ${origin}${WELL_KNOWN_PATH}`;
}
