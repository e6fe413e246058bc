import type { EventType } from "./events.ts";
import type { FeedFilter } from "./feed.ts";
import { WEBHOOK_SECRET_OVERLAP_MS, WEBHOOK_SECRETS_MAX } from "./limits.ts";

export const WEBHOOK_FORMATS = ["standard", "a2a"] as const;
export type WebhookFormat = (typeof WEBHOOK_FORMATS)[number];

/** Who is told of events, and of which. Instants in milliseconds since 1970. */
export interface Webhook extends FeedFilter {
  readonly id: string;
  readonly format: WebhookFormat;
  readonly url: string;
  readonly description: string;
  readonly types: EventType[] | null;
  readonly enabled: boolean;
  /** Why and when the service disabled it; null where people did, or nobody. */
  readonly disabledReason: string | null;
  readonly disabledAt: number | null;
  readonly createdBy: string;
  readonly createdAt: number;
}

/** What can change of a webhook. */
export type WebhookChange = {
  readonly [
    Field in
      | "url"
      | "description"
      | "agentId"
      | "teamId"
      | "enabled"
      | "disabledReason"
      | "disabledAt"
  ]?: Webhook[Field] | undefined;
} & { readonly types?: readonly EventType[] | null | undefined };

/** A secret that signs; `until` null for the present one, else the instant from which it no longer does. */
export interface SigningSecret {
  readonly secret: string;
  readonly until: number | null;
}

/** The secrets after a rotation, newest first: the one that was present signs on beside the new one. */
export function rotated(
  secrets: readonly SigningSecret[],
  secret: string,
  now: number,
): SigningSecret[] {
  const before = secrets
    .filter((one) => isValid(one, now))
    .map((one) => ({ ...one, until: one.until ?? now + WEBHOOK_SECRET_OVERLAP_MS }));
  return [{ secret, until: null }, ...before].slice(0, WEBHOOK_SECRETS_MAX);
}

/** The secrets that sign at `now`, newest first. */
export function signing(secrets: readonly SigningSecret[], now: number): string[] {
  return secrets.filter((one) => isValid(one, now)).map(({ secret }) => secret);
}

function isValid({ until }: SigningSecret, now: number): boolean {
  return until === null || now < until;
}
