import {
  CircleCheck,
  CircleDashed,
  CircleHelp,
  CirclePlay,
  CircleSlash,
  CircleX,
  ClipboardCheck,
  UserCheck,
  type LucideIcon,
} from "lucide-react";
import { Badge, type Tone } from "../ui/badge.tsx";
import type { TaskStatus } from "./filters.ts";

const STATUS_LOOKS: Readonly<
  Record<TaskStatus, { readonly label: string; readonly tone: Tone; readonly icon: LucideIcon }>
> = {
  pending: { label: "Pending", tone: "neutral", icon: CircleDashed },
  assigned: { label: "Assigned", tone: "neutral", icon: UserCheck },
  in_progress: { label: "In progress", tone: "accent", icon: CirclePlay },
  blocked: { label: "Blocked", tone: "warning", icon: CircleHelp },
  review: { label: "In review", tone: "info", icon: ClipboardCheck },
  completed: { label: "Completed", tone: "success", icon: CircleCheck },
  failed: { label: "Failed", tone: "danger", icon: CircleX },
  cancelled: { label: "Cancelled", tone: "neutral", icon: CircleSlash },
};

export function statusLabel(status: TaskStatus): string {
  return STATUS_LOOKS[status].label;
}

export function StatusBadge({ status }: { readonly status: TaskStatus }) {
  const { label, tone, icon: Icon } = STATUS_LOOKS[status];
  return (
    <Badge tone={tone} icon={<Icon aria-hidden />}>
      {label}
    </Badge>
  );
}
