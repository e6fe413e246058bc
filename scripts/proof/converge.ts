import { isTerminal } from "../../src/tasks/model/task.ts";
import { checkDirectory } from "./check/directory.ts";
import type { Client } from "./client.ts";
import { readLogs, readRows } from "./read-state.ts";
import { pollUntilValid, type PollResult } from "./poll.ts";

/** `tookMs` counts from the end of the faults. */
export interface Converged extends PollResult {
  readonly tasks: number;
}

/** Polls the lists until they match the logs of all tasks that had ended before the faults stopped. */
export async function converge(
  client: Client,
  ids: readonly string[],
  calmAt: number,
): Promise<Converged> {
  const logs = (await readLogs(client, ids)).filter(({ states }) => {
    const last = states.at(-1);
    return last !== undefined && isTerminal(last.status) && last.updatedAt <= calmAt;
  });
  const known = new Set(logs.map(({ taskId }) => taskId));
  const shown = await pollUntilValid(async () => {
    const rows = await readRows(client);
    return checkDirectory(
      logs,
      rows.filter(({ taskId }) => known.has(taskId)),
    );
  }, calmAt);
  return { ...shown, tasks: logs.length };
}
