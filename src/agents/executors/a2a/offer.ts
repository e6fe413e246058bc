import * as z from "zod";
import {
  A2A_ID_CHARACTERS_MAX,
  A2A_SKILL_CHARACTERS_MAX,
  A2A_SKILLS_MAX,
  DESCRIPTION_CHARACTERS_MAX,
  NAME_CHARACTERS_MAX,
} from "../../../domain/limits.ts";
import { fail, ok, type Result } from "../../../domain/result.ts";
import { place } from "../../../egress/address.ts";
import { cut } from "../../../domain/text.ts";
import { oneLine } from "../builtin/wording.ts";
import type { Endpoint } from "./held.ts";

/** The part of an agent card (A2A 1.0, section 4.4) that is relied on here. */
const CARD = z.object({
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
type Card = z.infer<typeof CARD>;

/** What a card offers. Texts are bounded; `endpoint` is the interface that is used. */
export interface Offer {
  readonly name: string;
  readonly description: string;
  readonly skills: readonly string[];
  readonly endpoint: Endpoint;
}

const SPOKEN = /^1\.0(\.\d+)?$/;
const BINDINGS = ["JSONRPC", "HTTP+JSON"] as const;
const VERSIONS_TOLD_MAX = 5;
const WORD_CHARACTERS_MAX = 40;
/** Modes under which an agent takes parts that are JSON. */
const DATA_MODES = /^(?:application\/(?:json|\*|.+\+json)|\*\/\*|\*|data|json)$/i;

/** Why a card cannot be used. `publicReason` is the reason without addresses. Both complete "cardUrl …". */
export interface OfferFailure {
  readonly reason: string;
  readonly publicReason: string;
}

/** What the card at `cardUrl` offers. */
export function offerOf(raw: unknown, cardUrl: URL): Result<Offer, OfferFailure> {
  const version = oldVersion(raw);
  if (version !== null) return same(speaksNot([version]));
  const card = CARD.safeParse(raw);
  if (!card.success)
    return same(`leads to JSON that is not an A2A 1.0 agent card: ${first(card.error)}`);
  const { data } = card;
  const endpoint = endpointOf(data, cardUrl);
  if (!endpoint.ok) return endpoint;
  return ok({
    name: oneLine(data.name, NAME_CHARACTERS_MAX),
    description: cut(data.description, DESCRIPTION_CHARACTERS_MAX),
    skills: skillsOf(data),
    endpoint: endpoint.value,
  });
}

/** The first supported interface at the card's origin: the key is sent to no other origin. */
function endpointOf(card: Card, cardUrl: URL): Result<Endpoint, OfferFailure> {
  const spoken = card.supportedInterfaces.filter((one) => SPOKEN.test(one.protocolVersion));
  if (spoken.length === 0) {
    return same(speaksNot(card.supportedInterfaces.map((one) => one.protocolVersion)));
  }
  const usable = spoken.flatMap(({ url, tenant, protocolBinding }) => {
    const binding = BINDINGS.find((known) => known === protocolBinding.toUpperCase());
    return binding === undefined ? [] : [{ url, tenant, binding }];
  });
  const [preferred] = usable;
  if (preferred === undefined) {
    const offered = told(spoken.map((one) => one.protocolBinding));
    return same(
      `names an agent that speaks A2A 1.0 over ${offered}; over JSONRPC or HTTP+JSON is needed`,
    );
  }
  const own = usable.find(({ url }) => URL.parse(url)?.origin === cardUrl.origin);
  if (own === undefined) return fail(liesElsewhere(preferred.url, cardUrl));
  return ok({
    cardUrl: cardUrl.href,
    ...own,
    streaming: card.capabilities?.streaming === true,
    takesData:
      card.defaultInputModes.length === 0 ||
      card.defaultInputModes.some((mode) => DATA_MODES.test(mode)),
  });
}

function same(reason: string): Result<never, OfferFailure> {
  return fail({ reason, publicReason: reason });
}

function liesElsewhere(text: string, cardUrl: URL): OfferFailure {
  const url = URL.parse(text);
  if (url === null) {
    return {
      reason: `names an agent whose interface, "${oneLine(text, WORD_CHARACTERS_MAX)}", is not a URL`,
      publicReason: "names an agent whose interface is not a URL",
    };
  }
  return {
    reason: `names an agent whose interface is at ${place(url)}, a different origin from the card's, ${place(cardUrl)}; register a card at the origin of its interface`,
    publicReason: "names an agent whose interface is at a different origin from the card",
  };
}

/** The version that a card of A2A 0.x says it is of: it has it at its top, beside its URL. */
function oldVersion(raw: unknown): string | null {
  if (typeof raw !== "object" || raw === null) return null;
  if (!("protocolVersion" in raw) || "supportedInterfaces" in raw) return null;
  return typeof raw.protocolVersion === "string" ? raw.protocolVersion : null;
}

function speaksNot(versions: readonly string[]): string {
  const which = versions.length === 0 ? "names no interface at all" : `offers ${told(versions)}`;
  return `names an agent that does not speak A2A 1.0: its card ${which}`;
}

function told(words: readonly string[]): string {
  return [...new Set(words)]
    .slice(0, VERSIONS_TOLD_MAX)
    .map((word) => oneLine(word, WORD_CHARACTERS_MAX) || "(blank)")
    .join(", ");
}

function skillsOf({ skills }: Card): string[] {
  const words = skills
    .flatMap(({ name, tags }) => [name, ...tags])
    .map((word) => oneLine(word, A2A_SKILL_CHARACTERS_MAX))
    .filter((word) => word !== "");
  return [...new Set(words)].slice(0, A2A_SKILLS_MAX);
}

function first({ issues: [issue] }: z.ZodError): string {
  if (issue === undefined) return "it has another form";
  const path = oneLine(issue.path.join("."), 2 * WORD_CHARACTERS_MAX);
  return `${path === "" ? "it" : path} is wrong (${oneLine(issue.message, 2 * WORD_CHARACTERS_MAX)})`;
}
