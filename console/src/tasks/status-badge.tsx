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
import { STATUS_LABELS } from "./status-labels.ts";

const LOOKS: Readonly<Record<TaskStatus, readonly [tone: Tone, icon: LucideIcon]>> = {
  pending: ["neutral", CircleDashed],
  assigned: ["neutral", UserCheck],
  in_progress: ["accent", CirclePlay],
  blocked: ["warning", CircleHelp],
  review: ["info", ClipboardCheck],
  completed: ["success", CircleCheck],
  failed: ["danger", CircleX],
  cancelled: ["neutral", CircleSlash],
};

export function StatusBadge({ status }: { readonly status: TaskStatus }) {
  const [tone, Icon] = LOOKS[status];
  return (
    <Badge tone={tone} icon={<Icon aria-hidden />}>
      {STATUS_LABELS[status]}
    </Badge>
  );
}
