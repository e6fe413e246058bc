import type { TaskEventType } from "../../tasks/model/events.ts";
import type { FeedFilter } from "./feed.ts";
import { toIsoTime } from "../../kernel/text.ts";
import { keyEndOf, type KeyValidity } from "../../keys/model/key.ts";
import { WEBHOOK_SECRET_OVERLAP_MS, WEBHOOK_SECRETS_MAX } from "../limits.ts";

/** Chat services with their own message format. */
export const CHAT_FORMATS = ["slack", "teams", "discord"] as const;
export type ChatFormat = (typeof CHAT_FORMATS)[number];
/** The formats that clients can choose; `standard` is a Standard Webhooks message. */
export const CLIENT_FORMATS = ["standard", ...CHAT_FORMATS] as const;
export type ClientFormat = (typeof CLIENT_FORMATS)[number];
/** `a2a` is the format of push notification configurations. */
export type WebhookFormat = (typeof CLIENT_FORMATS)[number] | "a2a";

/** A webhook and the filter of its events. Instants in milliseconds since 1970. */
export interface Webhook extends FeedFilter {
  readonly id: string;
  readonly format: WebhookFormat;
  readonly url: string;
  readonly description: string;
  readonly types: TaskEventType[] | null;
  /** A Liquid template of the body or of a chat message's text; null for the format's default. */
  readonly template: string | null;
  /** Names of the headers with sealed values; null if there are none. */
  readonly headerNames: string[] | null;
  readonly enabled: boolean;
  /** Why and when the service disabled it; null if a client disabled it, or if it is enabled. */
  readonly disabledReason: string | null;
  readonly disabledAt: number | null;
  readonly createdBy: string;
  readonly createdAt: number;
}

/** A webhook as of `now`: disabled if its key has ended. Derived on each read, so that no expiry is missed. */
export function disableIfCreatorEnded<Stored extends Webhook>(
  webhook: Stored,
  creator: KeyValidity | null,
  now: number,
): Stored {
  const end = creator === null || !webhook.enabled ? null : keyEndOf(creator, now);
  if (end === null) return webhook;
  const ended = end.kind === "revoked" ? "was revoked" : "expired";
  const disabledReason = `The key ${webhook.createdBy}, which owns the webhook, ${ended} at ${toIsoTime(end.at)}.`;
  return { ...webhook, enabled: false, disabledReason, disabledAt: end.at };
}

export type WebhookChange = {
  readonly [Field in Exclude<keyof Webhook, "id" | "taskId" | "createdBy" | "createdAt">]?:
    | Webhook[Field]
    | undefined;
};

/** A signing secret. `until` is null for the current secret, or the instant at which the secret expires. */
export interface SigningSecret {
  readonly secret: string;
  readonly until: number | null;
}

/** The secrets after a rotation, newest first. The previous secret also signs for a while. */
export function addSigningSecret(
  secrets: readonly SigningSecret[],
  secret: string,
  now: number,
): [SigningSecret, ...SigningSecret[]] {
  const before = secrets
    .filter((one) => isActiveSecret(one, now))
    .map((one) => ({ ...one, until: one.until ?? now + WEBHOOK_SECRET_OVERLAP_MS }));
  return [{ secret, until: null }, ...before.slice(0, WEBHOOK_SECRETS_MAX - 1)];
}

/** The secrets that sign at `now`, newest first. */
export function listActiveSecrets(secrets: readonly SigningSecret[], now: number): string[] {
  return secrets.filter((one) => isActiveSecret(one, now)).map(({ secret }) => secret);
}

function isActiveSecret({ until }: SigningSecret, now: number): boolean {
  return until === null || now < until;
}

/** A webhook with its sealed settings, which no response contains. */
export interface StoredWebhook extends Webhook {
  readonly sealed: string;
}

/** An enabled webhook, with what the feed needs to match events. */
export interface EnabledWebhook extends FeedFilter {
  readonly id: string;
}

export interface WebhookLimits {
  /** The maximum number of webhooks of the same kind, and of the same task if it has one. */
  readonly countMax: number;
  /** The maximum number of webhooks of the same key, across all tasks. */
  readonly webhooksPerKeyMax?: number;
}

export function webhookFilterOf({ types, agentId, teamId, taskId }: FeedFilter): FeedFilter {
  return { types, agentId, teamId, taskId };
}
