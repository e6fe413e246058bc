import type { KnownTasks } from "../known-tasks.ts";
import type { Rng } from "../rng.ts";
import { checkLimits } from "../check/limits.ts";
import { checkPaths } from "../check/path.ts";
import type { Violation } from "../check/violation.ts";
import type { Client } from "../client.ts";
import { readWithRetries, readLogs } from "../read-state.ts";
import { AGENT_IDS } from "../task-requests.ts";
import type { AgentShape, RowShape, TaskShape } from "../responses.ts";
import { cancel } from "./creator.ts";
import { WAITING } from "./drained.ts";
import type { FeedState } from "./feed-state.ts";

/** The maximum number of tasks whose complete logs are checked at the end. */
const SAMPLE = 300;

/** Cancels tasks that wait for people; any other task that has not ended is a violation. */
export async function cancelWaitingTasks(
  client: Client,
  ids: readonly string[],
  feedState: FeedState,
): Promise<{ ended: number; left: Violation[] }> {
  const left: Violation[] = [];
  let ended = 0;
  for (const id of ids.filter((one) => !feedState.ended.has(one))) {
    const { status } = await readWithRetries<TaskShape>(client, `/agents/tasks/${id}`);
    if (WAITING.has(status)) ended += 1;
    else
      left.push({
        rule: "every task ends or waits for a person",
        about: id,
        message: `it is ${status}`,
      });
    await cancel(client, id);
  }
  return { ended, left };
}

/** Checks that the directory lists each task once as ended, that a sample of logs is valid, and that all queues are empty. */
export async function judgeAll(
  client: Client,
  rng: Rng,
  knownTasks: KnownTasks,
  rows: readonly RowShape[],
): Promise<Violation[]> {
  const known = new Set(knownTasks.ids);
  const messages = rows.flatMap(({ taskId, endedAt }) => [
    ...(known.has(taskId) ? [] : [`${taskId} was not requested or was created twice`]),
    ...(endedAt === undefined ? [`${taskId} is listed without an end time`] : []),
  ]);
  if (rows.length !== known.size) messages.push(`${rows.length} of ${known.size} tasks are listed`);
  const queues = await Promise.all(
    AGENT_IDS.map((id) => readWithRetries<AgentShape>(client, `/agents/${id}`)),
  );
  for (const { queue } of queues) {
    const held = (queue?.running ?? 0) + (queue?.waiting ?? 0);
    if (held > 0) messages.push(`a queue still contains ${held} tasks`);
  }
  const sample = new Set(Array.from({ length: SAMPLE }, () => rng.pick(knownTasks.ids)));
  const logs = await readLogs(client, [...sample]);
  const paths = [...checkPaths(logs), ...checkLimits(logs, []).violations];
  return [
    ...messages.map((message) => ({ rule: "all tasks have ended", about: null, message })),
    ...paths,
  ];
}
