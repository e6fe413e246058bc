import { isTerminal } from "../../src/tasks/model/task.ts";
import { checkDirectory } from "./check/directory.ts";
import type { Client } from "./client.ts";
import { readLogs, readRows } from "./look.ts";
import { soon, type Soon } from "./soon.ts";

/** `tookMs` counts from the calm on. */
export interface Converged extends Soon {
  readonly tasks: number;
}

/** Looks at the lists until they show every task that had ended by the calm as its log tells it. */
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
  const shown = await soon(async () => {
    const rows = await readRows(client);
    return checkDirectory(
      logs,
      rows.filter(({ taskId }) => known.has(taskId)),
    );
  }, calmAt);
  return { ...shown, tasks: logs.length };
}
