import { CircleCheck, CircleX, Clock } from "lucide-react";
import { Badge, type Tone } from "../ui/badge.tsx";
import type { DeliveryStatus } from "./search.ts";

const LOOKS = {
  pending: ["neutral", Clock],
  delivered: ["success", CircleCheck],
  failed: ["danger", CircleX],
} as const satisfies Readonly<Record<DeliveryStatus, readonly [Tone, unknown]>>;

export const DELIVERY_LABELS: Readonly<Record<DeliveryStatus, string>> = {
  pending: "Pending",
  delivered: "Delivered",
  failed: "Failed",
};

export function DeliveryBadge({ status }: { readonly status: DeliveryStatus }) {
  const [tone, Icon] = LOOKS[status];
  return (
    <Badge tone={tone} icon={<Icon aria-hidden />}>
      {DELIVERY_LABELS[status]}
    </Badge>
  );
}
