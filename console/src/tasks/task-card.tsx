import { Link } from "@tanstack/react-router";
import { EllipsisVertical } from "lucide-react";
import { DropdownMenu } from "radix-ui";
import { useHasScope } from "../session/identity.ts";
import { classNames } from "../ui/class-names.ts";
import { MENU, MENU_ITEM } from "../ui/menu.ts";
import { Time } from "../ui/time.tsx";
import { useChanged } from "../ui/use-changed.ts";
import { formatCost } from "./cost.ts";
import type { LiveRow } from "./live-rows.ts";
import type { ListedTask } from "./queries.ts";
import { Deadline, Progress } from "./task-fields.tsx";
import { titleOf } from "./task-title.ts";
import { listMoves, type Move } from "./transitions.ts";
import { summariseWaiting } from "./waiting.ts";

/** A task on the board. Its menu offers the moves that a drag makes. */
export function TaskCard({
  row: { item: task, isGone },
  onDrag,
  onMove,
}: {
  readonly row: LiveRow<ListedTask>;
  readonly onDrag: (dragged: ListedTask | null) => void;
  readonly onMove: (task: ListedTask, move: Move) => void;
}) {
  const mayWrite = useHasScope("tasks:write") && !isGone;
  const hasChanged = useChanged(`${task.status} ${task.progress ?? ""}`);
  const waiting = summariseWaiting(task);
  return (
    <article
      draggable={mayWrite}
      onDragStart={() => onDrag(task)}
      onDragEnd={() => onDrag(null)}
      className={classNames(
        "border-border bg-surface grid grid-cols-[minmax(0,1fr)] gap-1.5 rounded-md border p-2.5",
        hasChanged && "animate-changed",
        isGone && "opacity-60",
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
        {mayWrite && <MoveMenu task={task} onMove={(move) => onMove(task, move)} />}
        {isGone && <span className="sr-only">No longer in this column</span>}
      </div>
      {waiting !== null && (
        <p className="text-muted line-clamp-2 text-sm break-words">
          <bdi>{waiting}</bdi>
        </p>
      )}
      {task.status === "in_progress" && <Progress task={task} />}
      <p className="text-muted flex flex-wrap gap-x-3 text-sm">
        {task.agentName !== undefined && <bdi className="truncate">{task.agentName}</bdi>}
        <Deadline task={task} />
        {task.spend !== undefined && task.spend.cost > 0 && (
          <span>Cost {formatCost(task.spend.cost)}</span>
        )}
        <span>
          Created <Time at={task.createdAt} />
        </span>
      </p>
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
