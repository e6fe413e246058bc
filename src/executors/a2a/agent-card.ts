import * as z from "zod";
import {
  A2A_ID_CHARACTERS_MAX,
  A2A_SKILL_CHARACTERS_MAX,
  A2A_SKILLS_MAX,
  A2A_CARD_BYTES_MAX,
  A2A_CARD_TIMEOUT_MS,
} from "./limits.ts";
import { DESCRIPTION_CHARACTERS_MAX, NAME_CHARACTERS_MAX } from "../../kernel/limits.ts";
import { fail, ok, type Result } from "../../kernel/result.ts";
import { redactUrl } from "../../platform/egress/ssrf-guard.ts";
import { sanitizeText, toSingleLine } from "../../kernel/text.ts";
import type { A2aEndpoint } from "./checkpoint.ts";
import { createA2aFailure, type A2aFailure } from "./failure.ts";
import type { AgentSecret } from "../../agents/model/agent.ts";
import { UPSTREAM_JSON_DEPTH_MAX } from "../../platform/limits.ts";
import type { Egress, EgressFailure } from "../../platform/egress/contract.ts";
import { isWithinDepth, tryParseJson } from "../../kernel/json.ts";
import { createRedactor } from "../../tools/model/redaction.ts";
import { buildAuthorizedHeaders, toAgentAuthorization } from "../authorization.ts";

const WELL_KNOWN_PATH = "/.well-known/agent-card.json";

/**
 * Reads an agent card (A2A 1.0). A failure completes the sentence "cardUrl …". The key is sent only to the card's
 * origin.
 */
export async function fetchCardForRegistration(
  egress: Egress,
  cardUrl: string,
  secret: AgentSecret | null,
  signal?: AbortSignal,
): Promise<Result<A2aAgentCard, string>> {
  const card = await fetchAgentCard(egress, cardUrl, secret, signal);
  if (card.ok) return card;
  // The reason can contain the agent's address, because the client that registers the agent knows it.
  const { reason, internalReason = reason } = card.failure;
  return fail(createRedactor(toAgentAuthorization(secret)).text(internalReason));
}

/** Reads and checks an agent card. The reasons in a failure complete the sentence "cardUrl …". */
export async function fetchAgentCard(
  egress: Egress,
  cardUrl: string,
  secret: AgentSecret | null,
  signal?: AbortSignal,
): Promise<Result<A2aAgentCard, A2aFailure>> {
  const url = URL.parse(cardUrl);
  if (url === null)
    return cardFailure("must be an absolute URL, such as https://agents.example.com/card.json");
  const headers = buildAuthorizedHeaders(
    { Accept: "application/json", "A2A-Version": "1.0" },
    toAgentAuthorization(secret),
  );
  if (headers === null)
    return cardFailure(
      "cannot be requested because the key or its header name is not valid in HTTP",
    );
  const request = new Request(url, { headers, signal: signal ?? null });
  const sendsSecret = secret !== null;
  const bounds = { timeoutMs: A2A_CARD_TIMEOUT_MS, bytesMax: A2A_CARD_BYTES_MAX, sendsSecret };
  const exchange = await egress.send(request, bounds);
  if (!exchange.ok) return toEgressCardFailure(exchange.failure);
  const { status, bytes } = exchange.value;
  if (status !== 200) return toStatusCardFailure(status, url, sendsSecret);
  const raw = tryParseJson(bytes);
  if (raw === undefined) {
    const reason = "returns something that is not JSON";
    return cardFailure(reason, { internalReason: `${reason}; ${formatLocationHint(url)}` });
  }
  if (!isWithinDepth(raw, UPSTREAM_JSON_DEPTH_MAX)) {
    return cardFailure(
      `returns JSON that is nested more than ${UPSTREAM_JSON_DEPTH_MAX} levels deep`,
    );
  }
  const card = parseAgentCard(raw, url);
  if (!card.ok) return card;
  const endpointUrl = card.value.endpoint.url;
  const isSameOrigin = URL.parse(endpointUrl)?.origin === url.origin;
  const checked = await egress.checkUrl(endpointUrl, sendsSecret && isSameOrigin);
  if (!checked.ok) {
    return cardFailure(
      "points to an agent whose interface is at an address to which requests are not allowed",
      { internalReason: `points to an agent whose interface ${checked.failure}` },
    );
  }
  return card;
}

function cardFailure(
  reason: string,
  { kind = "permanent", ...details }: Partial<Pick<A2aFailure, "kind" | "internalReason">> = {},
): Result<never, A2aFailure> {
  return fail(createA2aFailure(kind, reason, details));
}

function toEgressCardFailure(failure: EgressFailure): Result<never, A2aFailure> {
  switch (failure.kind) {
    case "rejected": {
      const leads = failure.because === "redirect" ? `leads to ${failure.url}, which ` : "";
      const reason = "leads to an address to which requests are not allowed";
      return cardFailure(reason, { internalReason: `${leads}${failure.reason}` });
    }
    case "timeout": {
      const reason = `did not respond within ${failure.timeoutMs / 1_000} seconds`;
      return cardFailure(reason, { kind: "transient" });
    }
    case "unreachable": {
      const reason = "cannot be reached";
      const internalReason = `${reason}: ${failure.reason}`;
      return cardFailure(reason, { kind: "transient", internalReason });
    }
    case "too_large":
      return cardFailure(
        `returns more than ${failure.bytesMax / 1024} KiB, which is too large for an agent card`,
      );
  }
}

function toStatusCardFailure(status: number, url: URL, hasKey: boolean): Result<never, A2aFailure> {
  if (status === 401 || status === 403) {
    const what = hasKey ? "rejects the agent's key" : "requires a key";
    return cardFailure(`${what} (HTTP ${status})`, { kind: "unauthorized" });
  }
  const reason = `returns HTTP ${status}`;
  if (status === 429 || status >= 500) return cardFailure(reason, { kind: "transient" });
  return cardFailure(reason, { internalReason: `${reason}; ${formatLocationHint(url)}` });
}

function formatLocationHint({ origin }: URL): string {
  return `agent cards are usually at ${origin}${WELL_KNOWN_PATH}`;
}

/** The fields that are used from an agent card (A2A 1.0, section 4.4). */
const agentCardSchema = z.object({
  name: z.string().refine((name) => name.trim() !== "", "must not be blank"),
  description: z.string().default(""),
  supportedInterfaces: z.array(
    z.object({
      url: z.string(),
      protocolBinding: z.string(),
      protocolVersion: z.string(),
      tenant: z.string().max(A2A_ID_CHARACTERS_MAX).default(""),
    }),
  ),
  capabilities: z.object({ streaming: z.boolean().nullish() }).nullish(),
  skills: z
    .array(z.object({ name: z.string(), tags: z.array(z.string()).default([]) }))
    .default([]),
  defaultInputModes: z.array(z.string()).default([]),
});
type RawAgentCard = z.infer<typeof agentCardSchema>;

/**
 * The fields of an agent card that the service keeps, with long strings truncated. `endpoint` is the selected
 * interface.
 */
export interface A2aAgentCard {
  readonly name: string;
  readonly description: string;
  readonly skills: readonly string[];
  readonly endpoint: A2aEndpoint;
}

const SUPPORTED_VERSION = /^1\.0(\.\d+)?$/;
const SUPPORTED_BINDINGS = ["JSONRPC", "HTTP+JSON"] as const;
const LISTED_VALUES_MAX = 5;
const LISTED_VALUE_CHARACTERS_MAX = 40;
/** Input modes of agents that accept JSON parts. */
const DATA_MODES = /^(?:application\/(?:json|\*|.+\+json)|\*\/\*|\*|data|json)$/i;

export function parseAgentCard(raw: unknown, cardUrl: URL): Result<A2aAgentCard, A2aFailure> {
  const version = findLegacyVersion(raw);
  if (version !== null) return cardFailure(describeUnsupportedVersion([version]));
  const card = agentCardSchema.safeParse(raw);
  if (!card.success)
    return cardFailure(
      `returns JSON that is not an A2A 1.0 agent card: ${formatFirstIssue(card.error)}`,
    );
  const { data } = card;
  const endpoint = selectEndpoint(data, cardUrl);
  if (!endpoint.ok) return endpoint;
  return ok({
    name: toSingleLine(data.name, NAME_CHARACTERS_MAX),
    description: sanitizeText(data.description, DESCRIPTION_CHARACTERS_MAX),
    skills: listSkills(data),
    endpoint: endpoint.value,
  });
}

/** Selects the first supported interface at the card's origin, because the key is not sent to any other origin. */
function selectEndpoint(card: RawAgentCard, cardUrl: URL): Result<A2aEndpoint, A2aFailure> {
  const supported = card.supportedInterfaces.filter((one) =>
    SUPPORTED_VERSION.test(one.protocolVersion),
  );
  if (supported.length === 0) {
    return cardFailure(
      describeUnsupportedVersion(card.supportedInterfaces.map((one) => one.protocolVersion)),
    );
  }
  const usable = supported.flatMap(({ url, tenant, protocolBinding }) => {
    const binding = SUPPORTED_BINDINGS.find((known) => known === protocolBinding.toUpperCase());
    return binding === undefined ? [] : [{ url, tenant, binding }];
  });
  const [preferred] = usable;
  if (preferred === undefined) {
    const offered = formatValues(supported.map((one) => one.protocolBinding));
    return cardFailure(
      `points to an agent that supports A2A 1.0 only over ${offered}; JSONRPC or HTTP+JSON is required`,
    );
  }
  const selected = usable.find(({ url }) => URL.parse(url)?.origin === cardUrl.origin);
  if (selected === undefined) return describeForeignOrigin(preferred.url, cardUrl);
  return ok({
    cardUrl: cardUrl.href,
    ...selected,
    streaming: card.capabilities?.streaming === true,
    takesData:
      card.defaultInputModes.length === 0 ||
      card.defaultInputModes.some((mode) => DATA_MODES.test(mode)),
  });
}

function describeForeignOrigin(text: string, cardUrl: URL): Result<never, A2aFailure> {
  const url = URL.parse(text);
  if (url === null) {
    const internalReason = `points to an agent whose interface, "${toSingleLine(text, LISTED_VALUE_CHARACTERS_MAX)}", is not a URL`;
    return cardFailure("points to an agent whose interface is not a URL", { internalReason });
  }
  return cardFailure("points to an agent whose interface is at a different origin from the card", {
    internalReason: `points to an agent whose interface is at ${redactUrl(url)}, a different origin from the card's, ${redactUrl(cardUrl)}; register a card at the same origin as its interface`,
  });
}

/** The protocol version of an A2A 0.x card, which declares it at the top level. Null for other cards. */
function findLegacyVersion(raw: unknown): string | null {
  if (typeof raw !== "object" || raw === null) return null;
  if (!("protocolVersion" in raw) || "supportedInterfaces" in raw) return null;
  return typeof raw.protocolVersion === "string" ? raw.protocolVersion : null;
}

function describeUnsupportedVersion(versions: readonly string[]): string {
  const which = versions.length === 0 ? "lists no interfaces" : `offers ${formatValues(versions)}`;
  return `points to an agent that does not support A2A 1.0: its card ${which}`;
}

function formatValues(values: readonly string[]): string {
  return [...new Set(values)]
    .slice(0, LISTED_VALUES_MAX)
    .map((value) => toSingleLine(value, LISTED_VALUE_CHARACTERS_MAX) || "(blank)")
    .join(", ");
}

function listSkills({ skills }: RawAgentCard): string[] {
  const names = skills
    .flatMap(({ name, tags }) => [name, ...tags])
    .map((text) => toSingleLine(text, A2A_SKILL_CHARACTERS_MAX))
    .filter((text) => text !== "");
  return [...new Set(names)].slice(0, A2A_SKILLS_MAX);
}

function formatFirstIssue({ issues: [issue] }: z.ZodError): string {
  if (issue === undefined) return "it has a different structure";
  const path = toSingleLine(issue.path.join("."), 2 * LISTED_VALUE_CHARACTERS_MAX);
  return `${path === "" ? "it" : path} is invalid (${toSingleLine(issue.message, 2 * LISTED_VALUE_CHARACTERS_MAX)})`;
}
