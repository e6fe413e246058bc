import { useInfiniteQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useEffect, useEffectEvent, useState } from "react";
import { Button } from "../ui/button.tsx";
import { classNames } from "../ui/class-names.ts";
import { ConfirmDialog } from "../ui/confirm-dialog.tsx";
import { ErrorPanel, Loading } from "../ui/panels.tsx";
import { CANCEL_EFFECT, type TaskAction } from "./actions.ts";
import { STATUSES, statusesOf, type TaskFilters, type TaskStatus } from "./filters.ts";
import { tasksQuery, type ListedTask } from "./queries.ts";
import { StatusBadge } from "./status-badge.tsx";
import { TaskCard } from "./task-card.tsx";
import { titleOf } from "./task-title.ts";
import { moveOf, type Move } from "./transitions.ts";
import { useBoardActions } from "./use-board-actions.ts";
import { UpdateButton } from "./update-button.tsx";
import { useLiveRows } from "./use-live-rows.ts";

/** What the board asks before actions that cannot be undone. */
const CONFIRMATIONS: Partial<
  Record<TaskAction["kind"], Record<"title" | "confirm" | "dismiss" | "effect", string>>
> = {
  cancel: {
    title: "Cancel the task?",
    confirm: "Cancel the task",
    dismiss: "Keep the task",
    effect: CANCEL_EFFECT,
  },
  review: {
    title: "Approve this work?",
    confirm: "Approve the work",
    dismiss: "Keep it in review",
    effect: "The task is completed with the submitted result. This cannot be undone.",
  },
};

/** The tasks in one column per status. A drag makes a legal move or says why there is none; each card's menu offers the same moves. */
export function TaskBoard({ filters }: { readonly filters: TaskFilters }) {
  const navigate = useNavigate();
  const [dragged, setDragged] = useState<ListedTask | null>(null);
  const [rejection, setRejection] = useState<string | null>(null);
  const [asked, setAsked] = useState<{ task: ListedTask; action: TaskAction } | null>(null);
  const actions = useBoardActions();
  const confirmation = asked && CONFIRMATIONS[asked.action.kind];
  const chosen = statusesOf(filters);

  function make(task: ListedTask, move: Move): void {
    setRejection(move.kind === "rejected" ? move.reason : null);
    if (move.kind === "open")
      void navigate({ to: "/tasks/$taskId", params: { taskId: task.taskId } });
    if (move.kind !== "act") return;
    if (CONFIRMATIONS[move.action.kind] === undefined) actions.act(task, move.action);
    else setAsked({ task, action: move.action });
  }

  return (
    <>
      <div role="status">
        {rejection !== null && (
          <p className="border-warning/40 bg-warning-soft text-warning mb-3 flex flex-wrap items-center gap-2 rounded-md border p-2">
            {rejection}
            <Button kind="quiet" className="ml-auto" onClick={() => setRejection(null)}>
              Dismiss
            </Button>
          </p>
        )}
      </div>
      {actions.failures.map(({ task, error }) => (
        <section key={task.taskId} aria-label={titleOf(task)} className="mb-3 grid gap-1">
          <div className="flex items-center gap-2">
            <p className="min-w-0 truncate font-medium">
              <bdi>{titleOf(task)}</bdi>
            </p>
            <Button
              kind="quiet"
              className="ml-auto shrink-0"
              onClick={() => actions.dismiss(task.taskId)}
            >
              Dismiss
            </Button>
          </div>
          <ErrorPanel error={error} />
        </section>
      ))}
      <div
        role="region"
        aria-label="Board"
        tabIndex={0}
        className="flex gap-3 overflow-x-auto pb-3"
      >
        {(chosen.length === 0 ? STATUSES : chosen).map((status) => (
          <Column
            key={status}
            status={status}
            filters={{ ...filters, status }}
            isTarget={dragged !== null && moveOf(dragged.status, status).kind !== "rejected"}
            movedId={actions.lastTaskId}
            onDrag={setDragged}
            onDrop={() => {
              if (dragged === null || dragged.status === status) return;
              make(dragged, moveOf(dragged.status, status));
              setDragged(null);
            }}
            onMove={make}
          />
        ))}
      </div>
      {asked && confirmation && (
        <ConfirmDialog
          title={confirmation.title}
          confirm={confirmation.confirm}
          dismiss={confirmation.dismiss}
          onConfirm={() => actions.act(asked.task, asked.action)}
          onClose={() => setAsked(null)}
        >
          <bdi className="break-words">{titleOf(asked.task)}</bdi>
          <p>{confirmation.effect}</p>
        </ConfirmDialog>
      )}
    </>
  );
}

const idOf = ({ taskId }: ListedTask): string => taskId;

/** The tasks of one status. Cards do not move until the person updates the column, or moves a task. */
function Column({
  status,
  filters,
  isTarget,
  movedId,
  onDrag,
  onDrop,
  onMove,
}: {
  readonly status: TaskStatus;
  readonly filters: TaskFilters;
  readonly isTarget: boolean;
  /** The task that the person moved last, which enters and leaves columns at once. */
  readonly movedId: string | null;
  readonly onDrag: (dragged: ListedTask | null) => void;
  readonly onDrop: () => void;
  readonly onMove: (task: ListedTask, move: Move) => void;
}) {
  const query = useInfiniteQuery(tasksQuery(filters));
  const tasks = query.data?.pages.flatMap((page) => page.tasks) ?? [];
  const live = useLiveRows(JSON.stringify(filters), tasks, idOf, query);
  const shown = live.rows.find(({ item }) => item.taskId === movedId);
  const isFetched = movedId !== null && tasks.some(({ taskId }) => taskId === movedId);
  const mustUpdate = shown === undefined ? isFetched : shown.isGone;
  const update = useEffectEvent(live.update);
  useEffect(() => {
    if (mustUpdate) update();
  }, [mustUpdate]);
  const total = query.data?.pages[0];
  return (
    <section
      aria-label={status}
      onDragOver={(event) => event.preventDefault()}
      onDrop={onDrop}
      className={classNames(
        "border-border bg-sunken/60 flex max-h-[calc(100dvh-13rem)] min-h-40 w-64 shrink-0 flex-col rounded-lg border",
        isTarget && "outline-accent outline-2",
      )}
    >
      <h2 className="flex items-center justify-between gap-2 p-2">
        <StatusBadge status={status} />
        <span className="text-muted text-sm">
          {total?.total.toLocaleString("en")}
          {total?.totalExact === false && "+"}
        </span>
      </h2>
      {/* The place of the button is reserved, so that no card moves when it appears. */}
      <div className="min-h-10 px-2">
        <UpdateButton
          label="Update"
          goneText="gone"
          className="w-full justify-center"
          added={live.added}
          gone={live.gone}
          onClick={live.update}
        />
      </div>
      <div className="grid grid-cols-[minmax(0,1fr)] content-start gap-2 overflow-y-auto p-2 pt-0">
        {query.isPending && <Loading what="tasks" />}
        {query.error && <ErrorPanel error={query.error} retry={() => void query.refetch()} />}
        {live.rows.map((row) => (
          <TaskCard key={row.item.taskId} row={row} onDrag={onDrag} onMove={onMove} />
        ))}
        {query.hasNextPage && (
          <Button disabled={query.isFetchingNextPage} onClick={() => void query.fetchNextPage()}>
            Show more
          </Button>
        )}
      </div>
    </section>
  );
}
