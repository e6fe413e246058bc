import { useInfiniteQuery } from "@tanstack/react-query";
import { Link, useNavigate } from "@tanstack/react-router";
import { EllipsisVertical } from "lucide-react";
import { DropdownMenu } from "radix-ui";
import { useState } from "react";
import { useHasScope } from "../session/identity.ts";
import { Button } from "../ui/button.tsx";
import { classNames } from "../ui/class-names.ts";
import { ConfirmDialog } from "../ui/confirm-dialog.tsx";
import { MENU, MENU_ITEM } from "../ui/menu.ts";
import { ErrorPanel, Loading } from "../ui/panels.tsx";
import { Time } from "../ui/time.tsx";
import { useChanged } from "../ui/use-changed.ts";
import { CANCEL_EFFECT, useTaskAction } from "./actions.ts";
import { STATUSES, statusesOf, type TaskFilters, type TaskStatus } from "./filters.ts";
import { tasksQuery, type ListedTask } from "./queries.ts";
import { StatusBadge } from "./status-badge.tsx";
import { formatCost } from "./cost.ts";
import { Deadline, Progress } from "./task-fields.tsx";
import { titleOf } from "./task-title.ts";
import { listMoves, moveOf, type Move } from "./transitions.ts";
import { describeWaiting } from "./waiting.ts";

interface Dragged {
  readonly task: ListedTask;
  readonly move: (to: TaskStatus) => void;
}

/** The tasks in one column per status. A drag makes a legal move or says why there is none; each card's menu offers the same moves. */
export function TaskBoard({ filters }: { readonly filters: TaskFilters }) {
  const [dragged, setDragged] = useState<Dragged | null>(null);
  const [rejection, setRejection] = useState<string | null>(null);
  const chosen = statusesOf(filters);
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
            isTarget={dragged !== null && moveOf(dragged.task.status, status).kind !== "rejected"}
            onDrag={setDragged}
            onDrop={() => {
              if (dragged === null || dragged.task.status === status) return;
              const move = moveOf(dragged.task.status, status);
              setRejection(move.kind === "rejected" ? move.reason : null);
              dragged.move(status);
              setDragged(null);
            }}
          />
        ))}
      </div>
    </>
  );
}

function Column({
  status,
  filters,
  isTarget,
  onDrag,
  onDrop,
}: {
  readonly status: TaskStatus;
  readonly filters: TaskFilters;
  readonly isTarget: boolean;
  readonly onDrag: (dragged: Dragged | null) => void;
  readonly onDrop: () => void;
}) {
  const query = useInfiniteQuery(tasksQuery(filters));
  const tasks = query.data?.pages.flatMap((page) => page.tasks) ?? [];
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
      <div className="grid content-start gap-2 overflow-y-auto p-2 pt-0">
        {query.isPending && <Loading what="tasks" />}
        {query.error && <ErrorPanel error={query.error} retry={() => void query.refetch()} />}
        {tasks.map((task) => (
          <TaskCard key={task.taskId} task={task} onDrag={onDrag} />
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

function TaskCard({
  task,
  onDrag,
}: {
  readonly task: ListedTask;
  readonly onDrag: (dragged: Dragged | null) => void;
}) {
  const navigate = useNavigate();
  const act = useTaskAction(task.taskId);
  const mayWrite = useHasScope("tasks:write");
  const hasChanged = useChanged(`${task.status} ${task.progress ?? ""}`);
  const waiting = describeWaiting(task);

  const [isCancelling, setIsCancelling] = useState(false);
  function make(move: Move): void {
    if (move.kind === "act" && move.action.kind === "cancel") setIsCancelling(true);
    else if (move.kind === "act") act.mutate(move.action);
    if (move.kind === "open")
      void navigate({ to: "/tasks/$taskId", params: { taskId: task.taskId } });
  }

  return (
    <article
      draggable={mayWrite}
      onDragStart={() => onDrag({ task, move: (to) => make(moveOf(task.status, to)) })}
      onDragEnd={() => onDrag(null)}
      className={classNames(
        "border-border bg-surface grid gap-1.5 rounded-md border p-2.5",
        hasChanged && "animate-changed",
      )}
    >
      <div className="flex items-start gap-1">
        <Link
          to="/tasks/$taskId"
          params={{ taskId: task.taskId }}
          className="hover:text-accent line-clamp-3 min-w-0 flex-1 font-medium break-words hover:underline"
        >
          <bdi>{titleOf(task)}</bdi>
        </Link>
        {mayWrite && <MoveMenu task={task} onMove={make} />}
      </div>
      {waiting !== null && (
        <p className="text-muted line-clamp-2 text-sm break-words">
          <bdi>{waiting}</bdi>
        </p>
      )}
      {task.status === "in_progress" && task.progress !== undefined && (
        <Progress percent={task.progress} />
      )}
      <p className="text-muted flex flex-wrap gap-x-3 text-sm">
        {task.agentName !== undefined && <bdi className="truncate">{task.agentName}</bdi>}
        <Deadline task={task} />
        {task.spend !== undefined && task.spend.cost > 0 && (
          <span>Cost {formatCost(task.spend.cost)}</span>
        )}
        <Time at={task.createdAt} />
      </p>
      {act.error && <ErrorPanel error={act.error} />}
      {isCancelling && (
        <ConfirmDialog
          title="Cancel the task?"
          confirm="Cancel the task"
          dismiss="Keep the task"
          onConfirm={() => act.mutate({ kind: "cancel", body: {} })}
          onClose={() => setIsCancelling(false)}
        >
          <bdi className="break-words">{titleOf(task)}</bdi>
          <p>{CANCEL_EFFECT}</p>
        </ConfirmDialog>
      )}
    </article>
  );
}

function MoveMenu({
  task,
  onMove,
}: {
  readonly task: ListedTask;
  readonly onMove: (move: Move) => void;
}) {
  const moves = listMoves(task.status);
  if (moves.length === 0) return null;
  return (
    <DropdownMenu.Root modal={false}>
      <DropdownMenu.Trigger
        aria-label={`Actions for ${titleOf(task)}`}
        className="text-muted hover:bg-sunken inline-flex size-7 shrink-0 items-center justify-center rounded-md"
      >
        <EllipsisVertical aria-hidden className="size-4" />
      </DropdownMenu.Trigger>
      <DropdownMenu.Portal>
        <DropdownMenu.Content align="end" sideOffset={4} className={MENU}>
          {moves.map((move) => (
            <DropdownMenu.Item key={move.label} className={MENU_ITEM} onSelect={() => onMove(move)}>
              {move.label}
            </DropdownMenu.Item>
          ))}
        </DropdownMenu.Content>
      </DropdownMenu.Portal>
    </DropdownMenu.Root>
  );
}
