import type { DirectoryEnv } from "../../platform/d1/client.ts";
import { runConcurrently } from "../../platform/promises.ts";
import type { Viewer } from "../../keys/model/key.ts";
import { RECORDED_CALLS_TASKS_AT_ONCE, RECORDED_CALLS_TASKS_MAX } from "../limits.ts";
import type { ListPosition } from "../model/listing.ts";
import type { RecordedCall } from "../model/recorded-call.ts";
import { taskStub } from "../task.rpc.ts";
import { readTaskPage } from "./list-tasks.ts";

/** Milliseconds since 1970: `from` inclusive, `to` exclusive. */
export interface RecordedPeriod {
  readonly from: number;
  readonly to: number;
}

export interface RecordedCallsPage {
  /** Newest task first, and newest call first within a task. */
  readonly calls: readonly (RecordedCall & { readonly taskId: string })[];
  /** The number of tasks that were read. */
  readonly tasks: number;
  /** The number of these tasks with calls that were left out. */
  readonly cutTasks: number;
  /** The last task of the page; null if there are no more tasks. */
  readonly last: ListPosition | null;
}

/**
 * The recorded calls of a period in one page of the tasks that were created in it. `toolIds`: null for all tools. Reads
 * the tasks' objects, at most RECORDED_CALLS_TASKS_MAX of them.
 */
export async function listRecordedCalls(
  env: DirectoryEnv & Pick<Env, "TASKS">,
  viewer: Viewer,
  { from, to }: RecordedPeriod,
  toolIds: readonly string[] | null,
  after: ListPosition | null,
): Promise<RecordedCallsPage> {
  const filter = {
    status: undefined,
    agentId: viewer.agentId ?? undefined,
    teamId: viewer.teamId ?? undefined,
    priority: undefined,
    createdFrom: from,
    createdTo: to - 1,
  };
  const page = { limit: RECORDED_CALLS_TASKS_MAX + 1, offset: 0, after };
  const { rows } = await readTaskPage(env, filter, page);
  const shown = rows.slice(0, RECORDED_CALLS_TASKS_MAX);
  const lists = await readAll(env, viewer, shown, { from, to }, toolIds);
  const last = shown.at(-1);
  return {
    calls: lists.flatMap(({ calls }) => calls),
    tasks: shown.length,
    cutTasks: lists.filter(({ isCut }) => isCut).length,
    last: rows.length > shown.length && last !== undefined ? last : null,
  };
}

interface TaskCalls {
  readonly calls: RecordedCallsPage["calls"];
  readonly isCut: boolean;
}

async function readAll(
  env: Pick<Env, "TASKS">,
  viewer: Viewer,
  rows: readonly ListPosition[],
  period: RecordedPeriod,
  toolIds: readonly string[] | null,
): Promise<readonly TaskCalls[]> {
  const lists = new Map<string, TaskCalls>();
  const unread = rows.values();
  await runConcurrently(RECORDED_CALLS_TASKS_AT_ONCE, async () => {
    const { value: row } = unread.next();
    if (row === undefined) return false;
    const stub = taskStub(env.TASKS, row.id);
    const read = stub.ok ? await stub.value.readRecordedCalls(viewer, period, toolIds) : stub;
    // A task that is not found was deleted after its row was read.
    if (read.ok) {
      const calls = read.value.calls.map((call) => ({ ...call, taskId: row.id }));
      lists.set(row.id, { calls, isCut: read.value.isCut });
    }
    return true;
  });
  return rows.flatMap(({ id }) => lists.get(id) ?? []);
}
