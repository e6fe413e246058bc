import type { Schemas } from "../api/client.ts";
import { parseHeaders } from "../api/header-lines.ts";
import { EVENT_TYPES, type EventType } from "../events/filters.ts";

type Webhook = Schemas["Webhook"];
export type WebhookFormat = Webhook["format"];

export const FORMATS = [
  "standard",
  "slack",
  "teams",
  "discord",
] as const satisfies readonly WebhookFormat[];

export const FORMAT_LABELS: Readonly<Record<WebhookFormat, string>> = {
  standard: "Standard Webhooks",
  slack: "Slack",
  teams: "Microsoft Teams",
  discord: "Discord",
};

/** What is typed into the form of a webhook. */
export interface WebhookDraft {
  readonly url: string;
  readonly description: string;
  readonly format: WebhookFormat;
  /** Empty for all types. */
  readonly types: readonly EventType[];
  readonly agentId: string;
  readonly teamId: string;
  readonly template: string;
  /** Whether `headers` replaces the stored headers, whose values the API does not show. */
  readonly replacesHeaders: boolean;
  /** One `Name: value` per line. */
  readonly headers: string;
  /** Only for a new webhook. */
  readonly secret: string;
}

export const EMPTY_WEBHOOK: WebhookDraft = {
  url: "",
  description: "",
  format: "standard",
  types: [],
  agentId: "",
  teamId: "",
  template: "",
  replacesHeaders: true,
  headers: "",
  secret: "",
};

export function draftOf(webhook: Webhook): WebhookDraft {
  return {
    url: webhook.url,
    description: webhook.description,
    format: webhook.format,
    types: webhook.types ?? [],
    agentId: webhook.agentId ?? "",
    teamId: webhook.teamId ?? "",
    template: webhook.template ?? "",
    replacesHeaders: webhook.headerNames === undefined,
    headers: "",
    secret: "",
  };
}

export function newWebhookBody(draft: WebhookDraft): Schemas["CreateWebhookBody"] {
  const headers = parseHeaders(draft.headers);
  return {
    url: draft.url.trim(),
    description: draft.description,
    format: draft.format,
    ...(draft.types.length > 0 && { types: [...draft.types] }),
    ...(draft.agentId.trim() !== "" && { agentId: draft.agentId.trim() }),
    ...(draft.teamId.trim() !== "" && { teamId: draft.teamId.trim() }),
    ...(draft.template !== "" && { template: draft.template }),
    ...(headers !== null && { headers }),
    ...(draft.secret !== "" && { secret: draft.secret }),
  };
}

/** The fields that differ from the webhook. Null removes a filter, a template or the headers. */
export function webhookChanges(
  webhook: Webhook,
  draft: WebhookDraft,
): Schemas["UpdateWebhookBody"] {
  const before = draftOf(webhook);
  const isChanged = (name: "url" | "description" | "format" | "template"): boolean =>
    draft[name] !== before[name];
  const { agentId, teamId } = { agentId: draft.agentId.trim(), teamId: draft.teamId.trim() };
  const headers = parseHeaders(draft.headers);
  const hasNewHeaders =
    draft.replacesHeaders && (headers !== null || webhook.headerNames !== undefined);
  return {
    ...(isChanged("url") && { url: draft.url.trim() }),
    ...(isChanged("description") && { description: draft.description }),
    ...(isChanged("format") && { format: draft.format }),
    ...(!isSameSet(draft.types, before.types) && {
      types: draft.types.length === 0 ? null : [...draft.types],
    }),
    ...(agentId !== before.agentId && { agentId: agentId || null }),
    ...(teamId !== before.teamId && { teamId: teamId || null }),
    ...(isChanged("template") && { template: draft.template || null }),
    ...(hasNewHeaders && { headers }),
  };
}

function isSameSet(one: readonly EventType[], other: readonly EventType[]): boolean {
  return EVENT_TYPES.every((type) => one.includes(type) === other.includes(type));
}
