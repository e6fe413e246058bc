import { setTimeout as pause } from "node:timers/promises";
import type { Board } from "../board.ts";
import type { Violation } from "../check/violation.ts";
import type { Client } from "../client.ts";
import { forAll, need } from "../look.ts";
import { AGENT_IDS } from "../orders.ts";
import type { TaskShape } from "../shapes.ts";
import type { Live, News } from "./news.ts";

const LOOK_MS = 500;
const AT_ONCE = 8;
/** Longer than any pending work of a live task takes: steps, deadlines, lease expiry, publishing. */
const STANDSTILL_MS = 60_000;

/** Statuses in which a task waits for people. */
export const WAITING: ReadonlySet<string> = new Set(["blocked", "review"]);
/** After these events, a task of an agent with a queue waits for its slot without a time limit. */
const QUEUED: ReadonlySet<string> = new Set(["assigned", "responded", "changes_requested"]);

/** Waits until every live task waits for people; returns violations for tasks that are stuck. */
export async function drained(
  client: Client,
  news: News,
  board: Board,
  giveUpAt: number,
): Promise<Violation[]> {
  for (;;) {
    const unheard = board.ids.filter((id) => !news.live.has(id) && !news.ended.has(id));
    const isHeard = unheard.length === 0 && news.asked.length === 0;
    const live = [...news.live].filter(
      ([, { type }]) => type !== "blocked" && type !== "submitted",
    );
    const isLate = Date.now() > giveUpAt;
    const old = live.filter(([, { since }]) => isLate || Date.now() - since > STANDSTILL_MS);
    const shown = await forAll(old, AT_ONCE, async ([taskId, last]) => {
      const task = await need<TaskShape>(client, `/agents/tasks/${taskId}`);
      return { task, isStill: isLate || standsStill(task, last, news.receivedAt) };
    });
    const moving = live.length - shown.filter(({ task }) => WAITING.has(task.status)).length;
    if (isHeard && moving === 0) return [];
    const still = shown.filter(({ task, isStill }) => isStill && !WAITING.has(task.status));
    if (still.length > 0) return still.map(({ task }) => violationOf(task));
    if (isLate) return unheard.map((id) => violationOf({ taskId: id, status: "pending" }));
    await pause(LOOK_MS);
  }
}

function standsStill(
  { agentId = "", deadline }: TaskShape,
  { type }: Live,
  heardAt: number,
): boolean {
  const now = Date.now();
  if (!AGENT_IDS.includes(agentId) || !QUEUED.has(type)) return true;
  const isOverdue = deadline !== undefined && now - Date.parse(deadline) > STANDSTILL_MS;
  return isOverdue || now - heardAt > STANDSTILL_MS;
}

function violationOf({ taskId, status }: Pick<TaskShape, "taskId" | "status">): Violation {
  return { rule: "no live task stands still", about: taskId, words: `it stays ${status}` };
}
