import * as z from "zod";
import { A2A_ID_CHARACTERS_MAX, A2A_SKILL_CHARACTERS_MAX, A2A_SKILLS_MAX } from "./limits.ts";
import { DESCRIPTION_CHARACTERS_MAX, NAME_CHARACTERS_MAX } from "../../kernel/limits.ts";
import { fail, ok, type Result } from "../../kernel/result.ts";
import { redactUrl } from "../../platform/egress/ssrf-guard.ts";
import { sanitizeText, toSingleLine } from "../../kernel/text.ts";
import type { A2aEndpoint } from "./checkpoint.ts";

/** The fields of an agent card (A2A 1.0, section 4.4) that are used. */
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

/** An agent card with bounded texts; `endpoint` is the interface that is used. */
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

/** Why a card cannot be used. `publicReason` is the reason without addresses. Both complete "cardUrl …". */
export interface AgentCardFailure {
  readonly reason: string;
  readonly publicReason: string;
}

export function parseAgentCard(raw: unknown, cardUrl: URL): Result<A2aAgentCard, AgentCardFailure> {
  const version = findLegacyVersion(raw);
  if (version !== null) return failWith(describeUnsupportedVersion([version]));
  const card = agentCardSchema.safeParse(raw);
  if (!card.success)
    return failWith(
      `leads to JSON that is not an A2A 1.0 agent card: ${formatFirstIssue(card.error)}`,
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

/** The first supported interface at the card's origin: the key is sent to no other origin. */
function selectEndpoint(card: RawAgentCard, cardUrl: URL): Result<A2aEndpoint, AgentCardFailure> {
  const supported = card.supportedInterfaces.filter((one) =>
    SUPPORTED_VERSION.test(one.protocolVersion),
  );
  if (supported.length === 0) {
    return failWith(
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
    return failWith(
      `names an agent that speaks A2A 1.0 over ${offered}; over JSONRPC or HTTP+JSON is needed`,
    );
  }
  const selected = usable.find(({ url }) => URL.parse(url)?.origin === cardUrl.origin);
  if (selected === undefined) return fail(describeForeignOrigin(preferred.url, cardUrl));
  return ok({
    cardUrl: cardUrl.href,
    ...selected,
    streaming: card.capabilities?.streaming === true,
    takesData:
      card.defaultInputModes.length === 0 ||
      card.defaultInputModes.some((mode) => DATA_MODES.test(mode)),
  });
}

function failWith(reason: string): Result<never, AgentCardFailure> {
  return fail({ reason, publicReason: reason });
}

function describeForeignOrigin(text: string, cardUrl: URL): AgentCardFailure {
  const url = URL.parse(text);
  if (url === null) {
    return {
      reason: `names an agent whose interface, "${toSingleLine(text, LISTED_VALUE_CHARACTERS_MAX)}", is not a URL`,
      publicReason: "names an agent whose interface is not a URL",
    };
  }
  return {
    reason: `names an agent whose interface is at ${redactUrl(url)}, a different origin from the card's, ${redactUrl(cardUrl)}; register a card at the origin of its interface`,
    publicReason: "names an agent whose interface is at a different origin from the card",
  };
}

/** The version of an A2A 0.x card, which has it at the top level. */
function findLegacyVersion(raw: unknown): string | null {
  if (typeof raw !== "object" || raw === null) return null;
  if (!("protocolVersion" in raw) || "supportedInterfaces" in raw) return null;
  return typeof raw.protocolVersion === "string" ? raw.protocolVersion : null;
}

function describeUnsupportedVersion(versions: readonly string[]): string {
  const which =
    versions.length === 0 ? "names no interface at all" : `offers ${formatValues(versions)}`;
  return `names an agent that does not speak A2A 1.0: its card ${which}`;
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
  if (issue === undefined) return "it has another form";
  const path = toSingleLine(issue.path.join("."), 2 * LISTED_VALUE_CHARACTERS_MAX);
  return `${path === "" ? "it" : path} is wrong (${toSingleLine(issue.message, 2 * LISTED_VALUE_CHARACTERS_MAX)})`;
}
