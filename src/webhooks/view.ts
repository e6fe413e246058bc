import type { Attempt, Delivery, DeliveryLine } from "../domain/delivery.ts";
import type { Json } from "../domain/json.ts";
import { instantAt } from "../domain/feed.ts";
import type { Webhook } from "../domain/webhook.ts";
import { bodyOf, clientFormat, contentOf } from "./body.ts";
import type { WebhookStanding } from "./port.ts";

const DELIVERY_ID = /^dlv_(0|[1-9]\d{0,15})$/;

/** A webhook as clients read it, never with its secret; what is left out is not filtered by. */
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
    ...disabledIn(webhook),
    createdBy,
    createdAt: iso(createdAt),
  };
}

/** Why the service disabled it; of what people disabled there is nothing to say. */
function disabledIn({ enabled, disabledReason, disabledAt }: Webhook): object {
  if (enabled || disabledReason === null || disabledAt === null) return {};
  return { disabled: { reason: disabledReason, at: iso(disabledAt) } };
}

export function standingView({
  pending,
  consecutiveFailures,
  lastSuccessAt,
  missed,
}: WebhookStanding): object {
  return {
    ...(lastSuccessAt === null ? {} : { lastUsedAt: iso(lastSuccessAt) }),
    deliveries: {
      pending,
      consecutiveFailures,
      ...(lastSuccessAt === null ? {} : { lastSuccessAt: iso(lastSuccessAt) }),
      ...(missed === null
        ? {}
        : { missed: { after: iso(instantAt(missed.after)), upTo: iso(instantAt(missed.upTo)) } }),
    },
  };
}

/** One line of the delivery log. */
export function deliveryView(line: DeliveryLine): object {
  const { taskId, seq, type, status, nextAt, reason, attempts, createdAt, settledAt } = line;
  return {
    id: deliveryIdOf(line),
    event: { taskId, seq, type },
    status,
    ...(reason === null ? {} : { reason }),
    createdAt: iso(createdAt),
    ...(nextAt === null ? {} : { nextAttemptAt: iso(nextAt) }),
    ...(settledAt === null ? {} : { endedAt: iso(settledAt) }),
    attempts: attempts.map(attemptView),
  };
}

/** The same with the message; without a body if none can be made of the event. */
export async function wholeDeliveryView(
  { format, template }: Webhook,
  delivery: Delivery,
): Promise<object> {
  const body = await bodyOf({ format: clientFormat(format), template }, contentOf(delivery.event));
  const shown: Json | undefined = body.ok ? JSON.parse(body.value) : undefined;
  return { ...deliveryView(delivery), ...(shown === undefined ? {} : { body: shown }) };
}

export function attemptView({ at, durationMs, status, error, answer }: Attempt): object {
  return {
    at: iso(at),
    durationMs,
    ...(status === null ? {} : { status }),
    ...(error === null ? {} : { error }),
    ...(answer === null ? {} : { answer }),
  };
}

export function deliveryIdOf({ id }: Pick<DeliveryLine, "id">): string {
  return `dlv_${id}`;
}

/** The number in a delivery's id, or null for a text of another form. */
export function deliveryNumberOf(id: string): number | null {
  const digits = DELIVERY_ID.exec(id)?.[1];
  return digits === undefined ? null : Number(digits);
}

function iso(at: number): string {
  return new Date(at).toISOString();
}
