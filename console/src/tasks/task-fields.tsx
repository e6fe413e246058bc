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
      className={classNames("whitespace-nowrap", leftMs < SOON_MS && "text-danger font-medium")}
    >
      {leftMs > 0 ? `due in ${formatDuration(leftMs)}` : "Deadline passed"}
    </time>
  );
}

/** Nothing if no progress is known: a list knows the progress only as of the task's last transition. */
export function Progress({ percent = 0 }: { readonly percent?: number | undefined }) {
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
