import { readFeedSource } from "../model/feed.ts";
import type { Delivery, DeliveryAttempt, DeliveryLogEntry } from "../model/delivery.ts";
import { toIsoTime } from "../../kernel/text.ts";
import type { Json } from "../../kernel/json.ts";
import { instantOfPosition } from "../model/feed.ts";
import type { Webhook } from "../model/webhook.ts";
import { renderBody, toClientFormat } from "./message-body.ts";
import { buildMessageContent } from "./message-content.ts";
import type { WebhookStats } from "./webhook.rpc.ts";
import type { WebhookDetailResponse, WebhookResponse } from "./schemas.ts";
import type {
  DeliveryAttemptResponse,
  DeliveryDetailResponse,
  DeliveryResponse,
} from "./delivery-schemas.ts";

const DELIVERY_ID = /^dlv_(0|[1-9]\d{0,15})$/;

/** A webhook without its secret. An absent filter field matches everything. */
export function webhookView(webhook: Webhook): WebhookResponse {
  const { id, format, url, description, types, agentId, teamId, enabled } = webhook;
  const { template, headerNames, createdBy, createdAt } = webhook;
  return {
    id,
    format: toClientFormat(format),
    url,
    description,
    types: types ?? undefined,
    template: template ?? undefined,
    headerNames: headerNames ?? undefined,
    agentId: agentId ?? undefined,
    teamId: teamId ?? undefined,
    enabled,
    disabled: disabledView(webhook),
    createdBy,
    createdAt: toIsoTime(createdAt),
  };
}

/** Why and when the service disabled the webhook; undefined if it did not. */
function disabledView({ enabled, disabledReason, disabledAt }: Webhook) {
  if (enabled || disabledReason === null || disabledAt === null) return undefined;
  return { reason: disabledReason, at: toIsoTime(disabledAt) };
}

export function webhookStatsView(
  stats: WebhookStats,
): Pick<WebhookDetailResponse, "lastUsedAt" | "deliveries"> {
  const { pending, consecutiveFailures, missed } = stats;
  const lastSuccessAt = toIsoTime(stats.lastSuccessAt) ?? undefined;
  const missedTimes =
    missed === null
      ? undefined
      : {
          after: toIsoTime(instantOfPosition(missed.after)),
          upTo: toIsoTime(instantOfPosition(missed.upTo)),
        };
  return {
    lastUsedAt: lastSuccessAt,
    deliveries: { pending, consecutiveFailures, lastSuccessAt, missed: missedTimes },
  };
}

export function deliveryView(entry: DeliveryLogEntry): DeliveryResponse {
  const { id, sourceId, seq, type, status, nextAt } = entry;
  const { reason, attempts, createdAt, settledAt } = entry;
  const { taskId, ...source } = readFeedSource(type, sourceId);
  return {
    id: `dlv_${id}`,
    event: {
      ...(taskId === null ? source : { taskId }),
      seq,
      type,
    },
    status,
    reason: reason ?? undefined,
    createdAt: toIsoTime(createdAt),
    nextAttemptAt: toIsoTime(nextAt) ?? undefined,
    endedAt: toIsoTime(settledAt) ?? undefined,
    attempts: attempts.map(attemptView),
  };
}

/** A delivery with its message; `body` is undefined if the message cannot be rendered. */
export async function deliveryDetailView(
  { format, template }: Webhook,
  delivery: Delivery,
): Promise<DeliveryDetailResponse> {
  const rendered = await renderBody(
    { format: toClientFormat(format), template },
    buildMessageContent(delivery.event),
  );
  const body: Json | undefined = rendered.ok ? JSON.parse(rendered.value) : undefined;
  return { ...deliveryView(delivery), body };
}

export function attemptView(attempt: DeliveryAttempt): DeliveryAttemptResponse {
  const { at, durationMs, status, error, answer } = attempt;
  return {
    at: toIsoTime(at),
    durationMs,
    status: status ?? undefined,
    error: error ?? undefined,
    answer: answer ?? undefined,
  };
}

/** The number in a delivery's id, or null if the id is invalid. */
export function parseDeliveryId(id: string): number | null {
  const digits = DELIVERY_ID.exec(id)?.[1];
  return digits === undefined ? null : Number(digits);
}
