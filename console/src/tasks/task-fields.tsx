import { useLiveProgress } from "../api/live-feed.ts";
import { useNow } from "../ui/time.tsx";
import { formatExactTime, formatDuration } from "../ui/relative-time.ts";
import { classNames } from "../ui/class-names.ts";
import type { ListedTask } from "./queries.ts";

/** Less time than this until the deadline is highlighted. */
const SOON_MS = 15 * 60_000;

const ENDED = new Set(["completed", "failed", "cancelled"]);

/** The time left until the deadline. A task that has ended has no time left to count. */
export function Deadline({ task }: { readonly task: Pick<ListedTask, "deadline" | "status"> }) {
  const now = useNow();
  const { deadline } = task;
  if (deadline === undefined || ENDED.has(task.status)) return null;
  const leftMs = Date.parse(deadline) - now;
  return (
    <time
      dateTime={deadline}
      title={formatExactTime(deadline)}
      className={classNames(leftMs < SOON_MS && "text-danger font-medium")}
    >
      {leftMs > 0 ? `Due in ${formatDuration(leftMs)}` : "Deadline passed"}
    </time>
  );
}

/**
 * The progress of a task in a list. A list contains only the progress at the task's last transition, so later events
 * update it. Renders nothing at 0%.
 */
export function Progress({
  task: { taskId, status, progress },
}: {
  readonly task: Pick<ListedTask, "taskId" | "status" | "progress">;
}) {
  const latest = useLiveProgress(taskId);
  const percent = (status === "in_progress" ? latest : undefined) ?? progress ?? 0;
  if (percent === 0) return null;
  return (
    <span className="flex items-center gap-2">
      <span className="bg-sunken border-border h-1.5 w-16 overflow-hidden rounded-full border">
        <span className="bg-accent block h-full" style={{ width: `${percent}%` }} />
      </span>
      <span className="text-muted text-sm tabular-nums">{percent}%</span>
    </span>
  );
}
