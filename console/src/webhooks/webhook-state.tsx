import { CircleCheck, CirclePause, TriangleAlert } from "lucide-react";
import { Badge } from "../ui/badge.tsx";
import type { Webhook } from "./queries.ts";

/** Whether the webhook is enabled, failing, or disabled by a person or by the service. */
export function WebhookState({
  webhook,
  isFailing = false,
}: {
  readonly webhook: Webhook;
  /** Whether its last attempts all failed. */
  readonly isFailing?: boolean;
}) {
  if (webhook.enabled && isFailing) {
    return (
      <Badge tone="danger" icon={<TriangleAlert aria-hidden />}>
        Failing
      </Badge>
    );
  }
  if (webhook.enabled) {
    return (
      <Badge tone="success" icon={<CircleCheck aria-hidden />}>
        Enabled
      </Badge>
    );
  }
  if (webhook.disabled === undefined)
    return <Badge icon={<CirclePause aria-hidden />}>Disabled</Badge>;
  return (
    <Badge tone="danger" icon={<TriangleAlert aria-hidden />}>
      Disabled by the service
    </Badge>
  );
}
