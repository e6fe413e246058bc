import { Ban, CopyPlus, Pencil, RotateCcw } from "lucide-react";
import { lazy, Suspense, useState } from "react";
import { useShortcuts } from "../../layout/shortcuts.ts";
import { useHasScope } from "../../session/identity.ts";
import { Button } from "../../ui/button.tsx";
import { CopyButton } from "../../ui/copy-button.tsx";
import { ViewHeader } from "../../ui/panels.tsx";
import { StreamStatus } from "../../ui/stream-status.tsx";
import type { Task } from "../queries.ts";
import { StatusBadge } from "../status-badge.tsx";
import { titleOf } from "../task-title.ts";
import { CancelDialog } from "./cancel-dialog.tsx";
import { EditDialog } from "./edit-dialog.tsx";
import { RetryDialog } from "./retry-dialog.tsx";
import type { StreamState } from "./use-task-stream.ts";

const SimilarTaskDialog = lazy(async () => ({
  default: (await import("./similar-task-dialog.tsx")).SimilarTaskDialog,
}));

/** Longer task texts are collapsed. */
const SHOWN_CHARACTERS_MAX = 300;

export function TaskHeader({
  task,
  stream,
  onDone,
}: {
  readonly task: Task;
  readonly stream: StreamState;
  readonly onDone: (text: string) => void;
}) {
  const [open, setOpen] = useState<"edit" | "cancel" | "retry" | "similar" | null>(null);
  const canWrite = useHasScope("tasks:write");
  const { status } = task;
  const canEdit = canWrite && status !== "completed" && status !== "cancelled";
  const canCancel = canEdit && status !== "failed";
  const canRetry = canWrite && status === "failed";
  const canRepeat =
    canWrite && (status === "completed" || status === "failed" || status === "cancelled");
  useShortcuts([
    ...(canEdit ? [{ keys: "e", label: "Edit the task", run: () => setOpen("edit") }] : []),
    ...(canRetry ? [{ keys: "t", label: "Retry the task", run: () => setOpen("retry") }] : []),
    ...(canRepeat
      ? [{ keys: "n", label: "Create a similar task", run: () => setOpen("similar") }]
      : []),
    ...(canCancel ? [{ keys: "x", label: "Cancel the task", run: () => setOpen("cancel") }] : []),
  ]);
  const close = (): void => setOpen(null);
  const title = titleOf(task);
  const isWhole = title === task.task.trim();
  return (
    <div>
      <ViewHeader title={title || "Untitled task"}>
        {canRetry && (
          <Button kind="primary" onClick={() => setOpen("retry")}>
            <RotateCcw aria-hidden className="size-4" />
            Retry
          </Button>
        )}
        {canRepeat && (
          <Button onClick={() => setOpen("similar")}>
            <CopyPlus aria-hidden className="size-4" />
            Create a similar task
          </Button>
        )}
        {canEdit && (
          <Button onClick={() => setOpen("edit")}>
            <Pencil aria-hidden className="size-4" />
            Edit
          </Button>
        )}
        {canCancel && (
          <Button kind="danger" onClick={() => setOpen("cancel")}>
            <Ban aria-hidden className="size-4" />
            Cancel the task
          </Button>
        )}
      </ViewHeader>
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
        <StatusBadge status={status} />
        <StreamStatus state={stream} note=" Data may be out of date." />
        <span className="text-muted flex min-w-0 items-center gap-1 text-sm">
          <code className="truncate" title={task.taskId}>
            {task.taskId.slice(0, 12)}…
          </code>
          <CopyButton text={task.taskId} label="Copy the task id" />
        </span>
      </div>
      {!isWhole && task.task.length <= SHOWN_CHARACTERS_MAX && (
        <p dir="auto" className="mt-2 max-w-prose break-words whitespace-pre-wrap">
          {task.task}
        </p>
      )}
      {!isWhole && task.task.length > SHOWN_CHARACTERS_MAX && (
        <details className="mt-2">
          <summary className="text-accent w-fit py-0.5">Show the whole text</summary>
          <div
            dir="auto"
            tabIndex={0}
            role="region"
            aria-label="The whole text of the task"
            className="border-border bg-surface mt-1 max-h-[40dvh] overflow-y-auto rounded-md border p-3 break-words whitespace-pre-wrap"
          >
            {task.task}
          </div>
        </details>
      )}
      {open === "edit" && <EditDialog task={task} onClose={close} onDone={onDone} />}
      {open === "cancel" && <CancelDialog task={task} onClose={close} onDone={onDone} />}
      {open === "similar" && (
        <Suspense>
          <SimilarTaskDialog task={task} onClose={close} />
        </Suspense>
      )}
      {open === "retry" && <RetryDialog task={task} onClose={close} onDone={onDone} />}
    </div>
  );
}
