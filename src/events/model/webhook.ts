import type { FeedEventType, FeedFilter } from "./feed.ts";
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

/** A webhook and its event filter. Times are in milliseconds since 1970. */
export interface Webhook extends FeedFilter {
  readonly id: string;
  readonly format: WebhookFormat;
  readonly url: string;
  readonly description: string;
  readonly types: FeedEventType[] | null;
  /** A Liquid template for the body or for a chat message's text; null for the format's default. */
  readonly template: string | null;
  /** Names of the extra headers, whose values are sealed; null if there are none. */
  readonly headerNames: string[] | null;
  readonly enabled: boolean;
  /** Why and when the service disabled the webhook; null if it is enabled or a client disabled it. */
  readonly disabledReason: string | null;
  readonly disabledAt: number | null;
  readonly createdBy: string;
  readonly createdAt: number;
}

/**
 * Returns the webhook as disabled if its key has been revoked or has expired as of `now`. This is checked on each read,
 * so no expiry is missed.
 */
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

/** A signing secret. `until` is the time at which it expires, or null for the current secret. */
export interface SigningSecret {
  readonly secret: string;
  readonly until: number | null;
}

/** The secrets after a rotation, newest first. Messages are also signed with the previous secret for a while. */
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

/** The secrets with which messages are signed at `now`, newest first. */
export function listActiveSecrets(secrets: readonly SigningSecret[], now: number): string[] {
  return secrets.filter((one) => isActiveSecret(one, now)).map(({ secret }) => secret);
}

function isActiveSecret({ until }: SigningSecret, now: number): boolean {
  return until === null || now < until;
}

/** A webhook with its sealed settings, which are never included in a response. */
export interface StoredWebhook extends Webhook {
  readonly sealed: string;
}

/** The part of an enabled webhook that the feed needs to match events. */
export interface EnabledWebhook extends FeedFilter {
  readonly id: string;
}

export interface WebhookLimits {
  /**
   * The maximum number of webhooks of the same kind. If the webhook belongs to a task, only that task's webhooks count.
   */
  readonly countMax: number;
  /** The maximum number of webhooks per key, across all tasks. */
  readonly webhooksPerKeyMax?: number;
}

export function webhookFilterOf({ types, agentId, teamId, taskId }: FeedFilter): FeedFilter {
  return { types, agentId, teamId, taskId };
}
