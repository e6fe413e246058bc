import type { DirectoryEnv } from "../../platform/d1/client.ts";
import { runConcurrently } from "../../platform/promises.ts";
import type { Viewer } from "../../keys/model/key.ts";
import { RECORDED_CALLS_TASKS_AT_ONCE, RECORDED_CALLS_TASKS_MAX } from "../limits.ts";
import type { ListPosition } from "../model/listing.ts";
import type { RecordedCall, RecordedCalls } from "../model/recorded-call.ts";
import { taskStub } from "../task.rpc.ts";
import { readTaskPage } from "./list-tasks.ts";

/** Milliseconds since 1970: `from` inclusive, `to` exclusive. */
export interface RecordedPeriod {
  readonly from: number;
  readonly to: number;
}

/** The recorded calls of one task, newest first. */
export interface TaskRecordedCalls {
  /** The task's place in the list of tasks. */
  readonly position: ListPosition;
  readonly calls: readonly RecordedCall[];
  /** Whether calls were left out. */
  readonly isCut: boolean;
}

export interface RecordedCallsPage {
  /** Newest task first. */
  readonly tasks: readonly TaskRecordedCalls[];
  /** Whether there are more tasks. */
  readonly hasMore: boolean;
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
  const tasks = await readAll(env, viewer, shown, { from, to }, toolIds);
  return { tasks, hasMore: rows.length > shown.length };
}

async function readAll(
  env: Pick<Env, "TASKS">,
  viewer: Viewer,
  rows: readonly ListPosition[],
  period: RecordedPeriod,
  toolIds: readonly string[] | null,
): Promise<readonly TaskRecordedCalls[]> {
  const found = new Map<string, RecordedCalls>();
  const unread = rows.values();
  await runConcurrently(RECORDED_CALLS_TASKS_AT_ONCE, async () => {
    const { value: row } = unread.next();
    if (row === undefined) return false;
    const stub = taskStub(env.TASKS, row.id);
    const read = stub.ok ? await stub.value.readRecordedCalls(viewer, period, toolIds) : stub;
    // A task that is not found was deleted after its row was read.
    if (read.ok) found.set(row.id, read.value);
    return true;
  });
  return rows.map(({ createdAt, id }) => {
    const { calls = [], isCut = false } = found.get(id) ?? {};
    return { position: { createdAt, id }, calls, isCut };
  });
}
