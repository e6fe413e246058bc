import type { DirectoryFilter, DirectoryPage } from "../model/listing.ts";
import type * as z from "zod";
import { listDirectoryDatabases, type DirectoryEnv } from "../../platform/d1/client.ts";
import { createFieldFailure, type Failure } from "../../kernel/failure.ts";
import type { Viewer } from "../../keys/model/key.ts";
import { preview, fail, ok, type Result } from "../../kernel/result.ts";
import { readTaskCursor, writeTaskCursor } from "../directory/task-cursor.ts";
import { TASK_STATUSES } from "../model/task.ts";
import { listTaskRows, type TaskRows } from "../directory/sharded-directory.store.ts";
import { listedTaskView } from "./view.ts";
import type { listTasksQuery } from "./schemas.ts";
import type { TaskListResponse } from "./task-schemas.ts";

type Query = z.output<typeof listTasksQuery>;

/** One page of the tasks that a viewer may see. */
export async function listTasks(
  env: DirectoryEnv & Pick<Env, "SIGNING_KEY">,
  viewer: Viewer,
  query: Query,
): Promise<Result<TaskListResponse, Failure>> {
  const filter = filterOf(viewer, query);
  const { limit, offset } = query;
  const sort = query.sort === "-createdAt" ? undefined : query.sort;
  const after =
    query.cursor === undefined ? null : readTaskCursor(env.SIGNING_KEY, filter, query.cursor, sort);
  if (query.cursor !== undefined && after === null) {
    const rule = "must be a nextCursor from a request with the same filters and sort";
    return fail(createFieldFailure("cursor", `${rule}, got ${preview(query.cursor)}`));
  }
  if (hidesAll(viewer, query)) {
    return ok({ tasks: [], total: 0, totalExact: true, limit, offset, nextCursor: null });
  }
  // Read one more row than the limit to find out whether there is a next page.
  const page = { limit: limit + 1, offset, after, sort };
  const { rows, total, totalExact } = await readTaskPage(env, filter, page);
  const shownRows = rows.slice(0, limit);
  const last = shownRows.at(-1);
  const nextCursor =
    rows.length > limit && last !== undefined
      ? writeTaskCursor(env.SIGNING_KEY, filter, last, sort)
      : null;
  const now = Date.now();
  const tasks = shownRows.map((row) => listedTaskView(row, now));
  return ok({ tasks, total, totalExact, limit, offset, nextCursor });
}

/** One page of the directory and the number of matching tasks, counted up to TOTAL_COUNTED_MAX. */
export function readTaskPage(
  env: DirectoryEnv,
  filter: DirectoryFilter,
  page: DirectoryPage,
): Promise<TaskRows> {
  return listTaskRows(listDirectoryDatabases(env), filter, page);
}

/** The query's filter, limited to the tasks that the viewer may see. */
function filterOf(viewer: Viewer, query: Query): DirectoryFilter {
  return {
    // Every task has one of all statuses.
    status: query.status?.length === TASK_STATUSES.length ? undefined : query.status,
    agentId: viewer.agentId ?? query.agentId,
    teamId: viewer.teamId ?? query.teamId,
    priority: query.priority,
    createdFrom: query.startDate,
    createdTo: query.endDate,
    externalId: query.externalId,
    search: query.search,
    labels: query.label,
  };
}

/** Whether the query filters by an agent or a team other than the one that the key is bound to. */
function hidesAll(viewer: Viewer, query: Query): boolean {
  const differs = (bound: string | null, asked: string | undefined): boolean =>
    bound !== null && asked !== undefined && asked !== bound;
  return differs(viewer.agentId, query.agentId) || differs(viewer.teamId, query.teamId);
}
