import { parseDuration } from "../../kernel/duration.ts";
import type { Policy } from "./policy.ts";

/** An earlier approval of the same agent and capability. `policies`: those that it satisfied. */
export interface EarlierApproval {
  readonly taskId: string | null;
  readonly policies: readonly string[];
  readonly decidedAt: number;
}

/** Whether an earlier approval covers a call of the task `taskId` (null: of no task) at `now`. */
export function isRemembered(
  { id, remember, updatedAt }: Pick<Policy, "id" | "remember" | "updatedAt">,
  taskId: string | null,
  approved: readonly EarlierApproval[],
  now: number,
): boolean {
  const durationMs = parseDuration(remember);
  return approved.some((one) => {
    if (!one.policies.includes(id) || one.decidedAt <= updatedAt) return false;
    if (remember === "task") return taskId !== null && one.taskId === taskId;
    return durationMs !== null && now - one.decidedAt < durationMs;
  });
}
