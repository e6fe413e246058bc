import type { Board } from "../board.ts";
import type { Chance } from "../chance.ts";
import { checkLimits } from "../check/limits.ts";
import { checkPaths } from "../check/path.ts";
import type { Violation } from "../check/violation.ts";
import type { Client } from "../client.ts";
import { need, readLogs } from "../look.ts";
import { AGENT_IDS } from "../orders.ts";
import type { AgentShape, RowShape, TaskShape } from "../shapes.ts";
import { cancel } from "./customers.ts";
import { WAITING } from "./drained.ts";
import type { News } from "./news.ts";

/** The number of tasks whose whole log is checked at the end. */
const SAMPLE = 300;

/** Cancels tasks that wait for people; any other task that has not ended is a violation. */
export async function cancelWaitingTasks(
  client: Client,
  ids: readonly string[],
  news: News,
): Promise<{ ended: number; left: Violation[] }> {
  const left: Violation[] = [];
  let ended = 0;
  for (const id of ids.filter((one) => !news.ended.has(one))) {
    const { status } = await need<TaskShape>(client, `/agents/tasks/${id}`);
    if (WAITING.has(status)) ended += 1;
    else left.push({ rule: "all end, or wait for people", about: id, words: `it is ${status}` });
    await cancel(client, id);
  }
  return { ended, left };
}

/** Checks that the directory lists each task once as ended, that a sample of logs is valid, and that all queues are empty. */
export async function judgeAll(
  client: Client,
  chance: Chance,
  board: Board,
  rows: readonly RowShape[],
): Promise<Violation[]> {
  const known = new Set(board.ids);
  const words = rows.flatMap(({ taskId, endedAt }) => [
    ...(known.has(taskId) ? [] : [`${taskId} was never asked for, or twice`]),
    ...(endedAt === undefined ? [`${taskId} is listed as alive`] : []),
  ]);
  if (rows.length !== known.size) words.push(`${rows.length} are listed of ${known.size}`);
  const queues = await Promise.all(
    AGENT_IDS.map((id) => need<AgentShape>(client, `/agents/${id}`)),
  );
  for (const { queue } of queues) {
    const held = (queue?.running ?? 0) + (queue?.waiting ?? 0);
    if (held > 0) words.push(`a queue still holds ${held} tasks`);
  }
  const sample = new Set(Array.from({ length: SAMPLE }, () => chance.pick(board.ids)));
  const logs = await readLogs(client, [...sample]);
  const paths = [...checkPaths(logs), ...checkLimits(logs, []).violations];
  return [...words.map((one) => ({ rule: "all have ended", about: null, words: one })), ...paths];
}
