import type { Delivery, DeliveryAttempt, DeliveryLogEntry } from "../model/delivery.ts";
import { toIsoTime } from "../../kernel/text.ts";
import type { Json } from "../../kernel/json.ts";
import { instantOfPosition } from "../model/feed.ts";
import type { Webhook } from "../model/webhook.ts";
import { renderBody, toClientFormat, buildMessageContent } from "./message-body.ts";
import type { WebhookStats } from "./webhook.rpc.ts";

const DELIVERY_ID = /^dlv_(0|[1-9]\d{0,15})$/;

/** A webhook without its secret. An absent filter field matches everything. */
export function webhookView(webhook: Webhook): object {
  const { id, format, url, description, types, agentId, teamId, enabled } = webhook;
  const { template, headerNames, createdBy, createdAt } = webhook;
  return {
    id,
    format,
    url,
    description,
    ...(types === null ? {} : { types }),
    ...(template === null ? {} : { template }),
    ...(headerNames === null ? {} : { headerNames }),
    ...(agentId === null ? {} : { agentId }),
    ...(teamId === null ? {} : { teamId }),
    enabled,
    ...disabledView(webhook),
    createdBy,
    createdAt: toIsoTime(createdAt),
  };
}

/** Why the service disabled the webhook; nothing if people did. */
function disabledView({ enabled, disabledReason, disabledAt }: Webhook): object {
  if (enabled || disabledReason === null || disabledAt === null) return {};
  return { disabled: { reason: disabledReason, at: toIsoTime(disabledAt) } };
}

export function webhookStatsView({
  pending,
  consecutiveFailures,
  lastSuccessAt,
  missed,
}: WebhookStats): object {
  return {
    ...(lastSuccessAt === null ? {} : { lastUsedAt: toIsoTime(lastSuccessAt) }),
    deliveries: {
      pending,
      consecutiveFailures,
      ...(lastSuccessAt === null ? {} : { lastSuccessAt: toIsoTime(lastSuccessAt) }),
      ...(missed === null
        ? {}
        : {
            missed: {
              after: toIsoTime(instantOfPosition(missed.after)),
              upTo: toIsoTime(instantOfPosition(missed.upTo)),
            },
          }),
    },
  };
}

export function deliveryView(entry: DeliveryLogEntry): object {
  const { id, taskId, seq, type, status, nextAt } = entry;
  const { reason, attempts, createdAt, settledAt } = entry;
  return {
    id: `dlv_${id}`,
    event: { taskId, seq, type },
    status,
    ...(reason === null ? {} : { reason }),
    createdAt: toIsoTime(createdAt),
    ...(nextAt === null ? {} : { nextAttemptAt: toIsoTime(nextAt) }),
    ...(settledAt === null ? {} : { endedAt: toIsoTime(settledAt) }),
    attempts: attempts.map(attemptView),
  };
}

/** The same with the message; without a body if it cannot be rendered. */
export async function deliveryDetailView(
  { format, template }: Webhook,
  delivery: Delivery,
): Promise<object> {
  const body = await renderBody(
    { format: toClientFormat(format), template },
    buildMessageContent(delivery.event),
  );
  const shown: Json | undefined = body.ok ? JSON.parse(body.value) : undefined;
  return { ...deliveryView(delivery), ...(shown === undefined ? {} : { body: shown }) };
}

export function attemptView({ at, durationMs, status, error, answer }: DeliveryAttempt): object {
  return {
    at: toIsoTime(at),
    durationMs,
    ...(status === null ? {} : { status }),
    ...(error === null ? {} : { error }),
    ...(answer === null ? {} : { answer }),
  };
}

/** The number in a delivery's id, or null if the id is invalid. */
export function parseDeliveryId(id: string): number | null {
  const digits = DELIVERY_ID.exec(id)?.[1];
  return digits === undefined ? null : Number(digits);
}
