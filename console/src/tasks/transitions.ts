import type { TaskAction } from "./actions.ts";
import type { TaskStatus } from "./filters.ts";
import { STATUS_LABELS } from "./status-labels.ts";

/** Something that a person can do with a task on the board. */
export type PossibleMove =
  | { readonly kind: "act"; readonly label: string; readonly action: TaskAction }
  /** The task's page asks for more, such as an answer. */
  | { readonly kind: "open"; readonly label: string };

/** What moving a task to another column does, or why it does nothing. */
export type Move = PossibleMove | { readonly kind: "rejected"; readonly reason: string };

const ENDED: ReadonlySet<TaskStatus> = new Set(["completed", "failed", "cancelled"]);

/** The moves that a person can make with a task, by the column to which they lead. */
function movesFrom(status: TaskStatus): Partial<Record<TaskStatus, PossibleMove>> {
  const cancel: PossibleMove = {
    kind: "act",
    label: "Cancel",
    action: { kind: "cancel", body: {} },
  };
  switch (status) {
    case "blocked":
      return { in_progress: { kind: "open", label: "Answer" }, cancelled: cancel };
    case "review":
      return {
        in_progress: { kind: "open", label: "Request changes" },
        completed: {
          kind: "act",
          label: "Approve",
          action: { kind: "review", body: { decision: "approve" } },
        },
        cancelled: cancel,
      };
    case "failed":
      return { pending: { kind: "act", label: "Retry", action: { kind: "retry", body: {} } } };
    default:
      return ENDED.has(status) ? {} : { cancelled: cancel };
  }
}

/** What a drag from one column to another does. */
export function moveOf(from: TaskStatus, to: TaskStatus): Move {
  const move = movesFrom(from)[to];
  if (move !== undefined) return move;
  const possible = listMoves(from).map(({ label }) => label.toLowerCase());
  const instead =
    possible.length === 0
      ? "No actions are possible."
      : `Possible actions: ${possible.join(", ")}.`;
  const reason = `A task cannot be moved from “${STATUS_LABELS[from]}” to “${STATUS_LABELS[to]}”. ${instead}`;
  return { kind: "rejected", reason };
}

/** The moves that a person can make with a task. */
export function listMoves(status: TaskStatus): readonly PossibleMove[] {
  return Object.values(movesFrom(status));
}
