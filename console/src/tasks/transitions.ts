import type { TaskStatus } from "./filters.ts";
import { STATUS_LABELS } from "./status-labels.ts";
import type { TaskAction } from "./actions.ts";

/** What moving a task to another column does. */
export type Move =
  | { readonly kind: "act"; readonly label: string; readonly action: TaskAction }
  /** The task's page asks for more, such as an answer. */
  | { readonly kind: "open"; readonly label: string }
  | { readonly kind: "rejected"; readonly reason: string };

const ENDED: readonly TaskStatus[] = ["completed", "failed", "cancelled"];

/** Which move a drag from one column to another makes, and why it makes none. */
export function moveOf(from: TaskStatus, to: TaskStatus): Move {
  if (to === "cancelled" && !ENDED.includes(from))
    return { kind: "act", label: "Cancel", action: { kind: "cancel", body: {} } };
  if (to === "pending" && from === "failed")
    return { kind: "act", label: "Retry", action: { kind: "retry", body: {} } };
  if (to === "completed" && from === "review")
    return {
      kind: "act",
      label: "Approve",
      action: { kind: "review", body: { decision: "approve" } },
    };
  if (to === "in_progress" && from === "review") return { kind: "open", label: "Request changes" };
  if (to === "in_progress" && from === "blocked") return { kind: "open", label: "Answer" };
  return { kind: "rejected", reason: reasonAgainst(from, to) };
}

/** The moves that a person can make with a task. */
export function listMoves(from: TaskStatus): readonly Exclude<Move, { kind: "rejected" }>[] {
  const targets: readonly TaskStatus[] = ["in_progress", "completed", "pending", "cancelled"];
  return targets.map((to) => moveOf(from, to)).filter((move) => move.kind !== "rejected");
}

function reasonAgainst(from: TaskStatus, to: TaskStatus): string {
  const allowed = listMoves(from).map(({ label }) => label.toLowerCase());
  const instead =
    allowed.length === 0
      ? "No one can move it any more."
      : `What you can do with it: ${allowed.join(", ")}.`;
  return `A task with the status “${STATUS_LABELS[from]}” cannot be moved to “${STATUS_LABELS[to]}”. ${instead}`;
}
