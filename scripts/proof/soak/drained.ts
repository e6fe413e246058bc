import { setTimeout as pause } from "node:timers/promises";
import type { KnownTasks } from "../known-tasks.ts";
import type { Violation } from "../check/violation.ts";
import type { Client } from "../client.ts";
import { forAll, readWithRetries } from "../read-state.ts";
import { AGENT_IDS } from "../task-requests.ts";
import type { TaskShape } from "../responses.ts";
import type { Live, FeedState } from "./feed-state.ts";

const POLL_MS = 500;
const AT_ONCE = 8;
/** Longer than any pending work of a live task takes, such as steps, deadlines, lease expiry and publishing. */
const STUCK_AFTER_MS = 60_000;

/** Statuses in which a task waits for people. */
export const WAITING: ReadonlySet<string> = new Set(["blocked", "review"]);
/** After these events, a task whose agent has a queue waits for a slot without a time limit. */
const QUEUED: ReadonlySet<string> = new Set(["assigned", "responded", "changes_requested"]);

/** Waits until every live task waits for people; returns violations for tasks that are stuck. */
export async function drained(
  client: Client,
  feedState: FeedState,
  knownTasks: KnownTasks,
  giveUpAt: number,
): Promise<Violation[]> {
  for (;;) {
    const unreported = knownTasks.ids.filter(
      (id) => !feedState.live.has(id) && !feedState.ended.has(id),
    );
    const allReported = unreported.length === 0 && feedState.asked.length === 0;
    const live = [...feedState.live].filter(
      ([, { type }]) => type !== "blocked" && type !== "submitted",
    );
    const isLate = Date.now() > giveUpAt;
    const old = live.filter(([, { since }]) => isLate || Date.now() - since > STUCK_AFTER_MS);
    const shown = await forAll(old, AT_ONCE, async ([taskId, last]) => {
      const task = await readWithRetries<TaskShape>(client, `/agents/tasks/${taskId}`);
      return { task, isStuckNow: isLate || isStuck(task, last, feedState.receivedAt) };
    });
    const moving = live.length - shown.filter(({ task }) => WAITING.has(task.status)).length;
    if (allReported && moving === 0) return [];
    const still = shown.filter(({ task, isStuckNow }) => isStuckNow && !WAITING.has(task.status));
    if (still.length > 0) return still.map(({ task }) => violationOf(task));
    if (isLate) return unreported.map((id) => violationOf({ taskId: id, status: "pending" }));
    await pause(POLL_MS);
  }
}

function isStuck(
  { agentId = "", deadline }: TaskShape,
  { type }: Live,
  receivedAt: number,
): boolean {
  const now = Date.now();
  if (!AGENT_IDS.includes(agentId) || !QUEUED.has(type)) return true;
  const isOverdue = deadline !== undefined && now - Date.parse(deadline) > STUCK_AFTER_MS;
  return isOverdue || now - receivedAt > STUCK_AFTER_MS;
}

function violationOf({ taskId, status }: Pick<TaskShape, "taskId" | "status">): Violation {
  return { rule: "no live task is stuck", about: taskId, message: `it remains ${status}` };
}
