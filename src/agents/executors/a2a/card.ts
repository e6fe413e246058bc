import type { AgentSecret } from "../../../domain/agent.ts";
import {
  A2A_CARD_BYTES_MAX,
  A2A_CARD_TIMEOUT_MS,
  ANSWER_DEPTH_MAX,
} from "../../../domain/limits.ts";
import { fail, type Result } from "../../../domain/result.ts";
import type { Egress, EgressFault, Exchange } from "../../../egress/contract.ts";
import { isWithinDepth } from "../../../tools/connectors/depth.ts";
import { redactionOf } from "../../../secrets/redact.ts";
import { offerOf, type Offer } from "./offer.ts";
import { authorisationOf } from "../authorisation.ts";
import { withKey } from "./headers.ts";

const WELL_KNOWN = "/.well-known/agent-card.json";

/**
 * Reads an agent card (A2A 1.0) and judges it. The failure completes "cardUrl …"; it never holds the
 * key, which is sent to the origin of `cardUrl` alone.
 */
export async function readCard(
  egress: Egress,
  cardUrl: string,
  secret: AgentSecret | null,
  signal?: AbortSignal,
): Promise<Result<Offer, string>> {
  const offer = await readOffer(egress, cardUrl, secret, signal);
  if (offer.ok) return offer;
  return fail(redactionOf(authorisationOf(secret)).text(offer.failure.reason));
}

/** Why the card cannot be read. `isPassing`: a later attempt may succeed. `status`: of an HTTP error. */
export interface CardFault {
  /** For the client that registers the agent and knows its address. */
  readonly reason: string;
  /** The reason without addresses, for all readers of the agent's tasks. */
  readonly publicReason: string;
  readonly isPassing: boolean;
  readonly status: number | null;
}

/** The same, with what a turn must know of a failure. */
export async function readOffer(
  egress: Egress,
  cardUrl: string,
  secret: AgentSecret | null,
  signal?: AbortSignal,
): Promise<Result<Offer, CardFault>> {
  const url = URL.parse(cardUrl);
  if (url === null) return no("must be a whole URL, such as https://agents.example.com/card.json");
  const headers = withKey(
    { Accept: "application/json", "A2A-Version": "1.0" },
    authorisationOf(secret),
  );
  if (headers === null) return no("needs a key and a header that HTTP can carry");
  const request = new Request(url, { headers, ...(signal === undefined ? {} : { signal }) });
  const bounds = {
    timeoutMs: A2A_CARD_TIMEOUT_MS,
    bytesMax: A2A_CARD_BYTES_MAX,
    sendsSecret: secret !== null,
  };
  const exchange = await egress.exchange(request, bounds);
  if (!exchange.ok) return fail(faultOf(exchange.failure));
  if (exchange.value.status !== 200) return fail(refusal(exchange.value, url, secret !== null));
  const raw = jsonOf(exchange.value.bytes);
  if (raw === undefined) {
    const reason = "leads to something that is not JSON";
    return no(`${reason}; ${hint(url)}`, reason);
  }
  if (!isWithinDepth(raw, ANSWER_DEPTH_MAX)) {
    return no(`leads to JSON that is nested more than ${ANSWER_DEPTH_MAX} levels deep`);
  }
  const offer = offerOf(raw, url);
  if (!offer.ok) return no(offer.failure.reason, offer.failure.publicReason);
  const endpointUrl = offer.value.endpoint.url;
  const checked = await egress.check(
    endpointUrl,
    secret !== null && URL.parse(endpointUrl)?.origin === url.origin,
  );
  if (!checked.ok) {
    const publicReason =
      "names an agent whose interface is at an address to which requests are not allowed";
    return no(`names an agent whose interface ${checked.failure}`, publicReason);
  }
  return offer;
}

function no(reason: string, publicReason = reason): Result<never, CardFault> {
  return fail({ reason, publicReason, isPassing: false, status: null });
}

function faultOf(fault: EgressFault): CardFault {
  switch (fault.kind) {
    case "refused": {
      const leads = fault.because === "redirect" ? `leads to ${fault.url}, which ` : "";
      const publicReason = "leads to an address to which requests are not allowed";
      const reason = `${leads}${fault.reason}`;
      return { reason, publicReason, isPassing: false, status: null };
    }
    case "timeout": {
      const reason = `did not answer within ${fault.timeoutMs / 1_000} seconds`;
      return { reason, publicReason: reason, isPassing: true, status: null };
    }
    case "unreachable": {
      const publicReason = "cannot be reached";
      const reason = `${publicReason}: ${fault.reason}`;
      return { reason, publicReason, isPassing: true, status: null };
    }
    case "too_large": {
      const reason = `leads to more than ${fault.bytesMax / 1024} KiB, which is no agent card`;
      return { reason, publicReason: reason, isPassing: false, status: null };
    }
  }
}

function refusal({ status }: Exchange, url: URL, hasKey: boolean): CardFault {
  if (status === 401 || status === 403) {
    const what = hasKey ? "does not take the agent's key" : "wants a key";
    const reason = `${what} (HTTP ${status})`;
    return { reason, publicReason: reason, isPassing: false, status };
  }
  const isPassing = status === 429 || status >= 500;
  const publicReason = `answers HTTP ${status}`;
  return {
    reason: isPassing ? publicReason : `${publicReason}; ${hint(url)}`,
    publicReason,
    isPassing,
    status,
  };
}

function hint({ origin }: URL): string {
  return `agent cards usually lie at ${origin}${WELL_KNOWN}`;
}

/** `undefined` for what is not JSON. */
function jsonOf(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder("utf-8", { fatal: true, ignoreBOM: false }).decode(bytes));
  } catch {
    return undefined;
  }
}
