import type { Log } from "../read-state.ts";
import type { RowShape } from "../responses.ts";
import { iso } from "./path.ts";
import type { Violation } from "./violation.ts";
import { endedAtOf, feedbackOf } from "../../../src/tasks/model/task.ts";

/** Checks that the lists show the same tasks as the logs, in the same state. */
export function checkDirectory(logs: readonly Log[], rows: readonly RowShape[]): Violation[] {
  const byId = new Map(rows.map((row) => [row.taskId, row]));
  const problems = logs.flatMap((log) => {
    const row = byId.get(log.taskId);
    const messages = row === undefined ? ["it is not in any list"] : [...compare(log, row)];
    return messages.map((message) => ({ about: log.taskId, message }));
  });
  if (byId.size !== rows.length) problems.push({ about: "", message: "a task is listed twice" });
  const known = new Set(logs.map(({ taskId }) => taskId));
  for (const { taskId } of rows) {
    if (!known.has(taskId))
      problems.push({ about: taskId, message: "it is listed but has no log" });
  }
  return problems.map((problem) => ({ rule: "the directory matches the logs", ...problem }));
}

function* compare({ states }: Log, row: RowShape): Generator<string> {
  const task = states.at(-1);
  if (task === undefined) return;
  const pairs: readonly (readonly [string, unknown, unknown])[] = [
    ["status", task.status, row.status],
    ["agentId", task.agentId, row.agentId ?? null],
    ["priority", task.priority, row.priority],
    ["deadline", iso(task.deadline), row.deadline ?? null],
    ["attempt", task.attempt, row.attempt],
    ["rating", feedbackOf(task)?.rating ?? null, row.rating ?? null],
    ["createdAt", iso(task.createdAt), row.createdAt],
    ["startedAt", iso(task.startedAt), row.startedAt ?? null],
    ["endedAt", iso(endedAtOf(task)), row.endedAt ?? null],
  ];
  for (const [name, logged, listed] of pairs) {
    if (logged !== listed)
      yield `${name} is ${String(logged)} in the log, but is listed as ${String(listed)}`;
  }
}
