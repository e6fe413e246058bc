import { Task, taskStateFromJSON } from "@a2a-js/sdk";
import { createFieldFailure } from "../../kernel/failure.ts";
import { A2A_LIST_EXAMINED_MAX, A2A_LIST_LOGS_CONCURRENT_MAX } from "./limits.ts";
import { PAGE_LIMIT_DEFAULT } from "../../kernel/limits.ts";
import {
  compareNewestFirst,
  type ListPosition,
  type DirectoryFilter,
  type DirectoryRow,
} from "../../tasks/model/listing.ts";
import { fail, ok, type Result } from "../../kernel/result.ts";
import { isTerminal } from "../../tasks/model/task.ts";
import { readTaskCursor, writeTaskCursor } from "../../tasks/directory/task-cursor.ts";
import { readTaskPage } from "../../tasks/api/list-tasks.ts";
import type { A2aCallContext } from "./call-context.ts";
import { toRequestFailure, type A2aRequestFailure } from "./failures.ts";
import type { A2aTaskView } from "./task-run.ts";
import { readA2aTaskViews } from "./tasks.ts";
import { buildA2aTask, toListedA2aTask } from "./view.ts";
import { STATUSES_BY_A2A_STATE, a2aStateOf } from "./task-state.ts";
import type { ListTasksParams } from "./schemas.ts";

type TaskQuery = ReturnType<typeof parseTaskQuery>;

/** `updatedSince`: the oldest last update, in milliseconds since 1970. */
function parseTaskQuery(params: ListTasksParams) {
  const { status = "TASK_STATE_UNSPECIFIED", statusTimestampAfter: after } = params;
  const { pageSize = PAGE_LIMIT_DEFAULT, historyLength = 0, includeArtifacts = false } = params;
  const updatedSince = after === undefined ? -Infinity : Date.parse(after);
  const state = taskStateFromJSON(status);
  return { state, updatedSince, pageSize, historyMax: historyLength, includeArtifacts };
}

interface TaskPage {
  readonly tasks: readonly Task[];
  readonly next: ListPosition | null;
  readonly total: number;
}

/** ListTasks: the last run of each task, newest task first; for one context all runs, newest first. */
export async function listA2aTasks(
  call: A2aCallContext,
  params: ListTasksParams,
): Promise<Result<object, A2aRequestFailure>> {
  const { env, key } = call;
  const { contextId = "", status = "TASK_STATE_UNSPECIFIED", pageToken = "" } = params;
  const query = parseTaskQuery(params);
  const filter = {
    status: undefined,
    agentId: key.agentId ?? undefined,
    teamId: key.teamId ?? undefined,
    priority: undefined,
    createdFrom: undefined,
    createdTo: undefined,
    // A token is valid only for a list with the same filters.
    list: [contextId, status, params.statusTimestampAfter],
  };
  const after = pageToken === "" ? null : readTaskCursor(env.SIGNING_KEY, filter, pageToken);
  if (pageToken !== "" && after === null) {
    const rule = "must be the nextPageToken of a list with the same filters";
    return fail(toRequestFailure(createFieldFailure("pageToken", rule)));
  }
  const page =
    contextId === ""
      ? ok(await listAllContexts(call, filter, query, after))
      : await listContext(call, contextId, query, after);
  if (!page.ok) return page;
  const { tasks, next, total } = page.value;
  return ok({
    // The codec leaves out an empty list, which the protocol requires if artifacts are requested.
    tasks: tasks.map((task) =>
      Object.assign(query.includeArtifacts ? { artifacts: [] } : {}, Task.toJSON(task)),
    ),
    nextPageToken: next === null ? "" : writeTaskCursor(env.SIGNING_KEY, filter, next),
    pageSize: query.pageSize,
    totalSize: total,
  });
}

async function listAllContexts(
  call: A2aCallContext,
  filter: DirectoryFilter,
  query: TaskQuery,
  after: ListPosition | null,
): Promise<TaskPage> {
  const statuses = STATUSES_BY_A2A_STATE[query.state] ?? [undefined];
  const examinedMax = needsFiltering(query) ? A2A_LIST_EXAMINED_MAX : query.pageSize;
  // One more row shows whether there is a next page.
  const page = { limit: examinedMax + 1, offset: 0, after };
  const lists = await Promise.all(
    statuses.map((status) => readTaskPage(call.env, { ...filter, status }, page)),
  );
  const rows = lists.flatMap((list) => list.rows).toSorted(compareNewestFirst);
  const tasks: Task[] = [];
  let examined = 0;
  for (
    const examinedEnd = Math.min(examinedMax, rows.length);
    examined < examinedEnd && hasRoom(tasks, query);
  ) {
    const batch = rows.slice(
      examined,
      Math.min(examined + A2A_LIST_LOGS_CONCURRENT_MAX, examinedEnd),
    );
    for (const last of await Promise.all(batch.map((row) => loadLastRun(call, row, query)))) {
      if (!hasRoom(tasks, query)) break;
      tasks.push(...last);
      examined += 1;
    }
  }
  const next = examined < rows.length ? (rows[examined - 1] ?? null) : null;
  const listed = lists.reduce((sum, { total }) => sum + total, 0);
  return { tasks, next, total: after === null && next === null ? tasks.length : listed };
}

/** Whether rows must be filtered by their logs: the directory has neither questions nor status times. */
function needsFiltering({ state, updatedSince }: TaskQuery): boolean {
  return updatedSince > -Infinity || STATUSES_BY_A2A_STATE[state]?.includes("blocked") === true;
}

function hasRoom(tasks: readonly Task[], { pageSize }: TaskQuery): boolean {
  return tasks.length < pageSize;
}

/** The last run of a listed task; empty if it does not match. */
async function loadLastRun(
  call: A2aCallContext,
  row: DirectoryRow,
  query: TaskQuery,
): Promise<Task[]> {
  // The last update of an ended task is its end.
  if (isTerminal(row.status) && (row.endedAt ?? Infinity) < query.updatedSince) return [];
  if (!needsLog(row, query)) return [toListedA2aTask(row)];
  const views = await readA2aTaskViews(call.env, call.key, row.id);
  const view = views.ok ? views.value.at(-1) : undefined;
  return view === undefined || !matchesQuery(view, query)
    ? []
    : [buildListedTask(call, row.id, view, query)];
}

/** The directory has neither questions nor the number of runs. */
function needsLog({ status, attempt }: DirectoryRow, query: TaskQuery): boolean {
  const isPlain = attempt === 1 && status !== "blocked" && status !== "review";
  return (
    !isPlain || query.includeArtifacts || query.historyMax > 0 || query.updatedSince > -Infinity
  );
}

async function listContext(
  call: A2aCallContext,
  contextId: string,
  query: TaskQuery,
  after: ListPosition | null,
): Promise<Result<TaskPage, A2aRequestFailure>> {
  const views = await readA2aTaskViews(call.env, call.key, contextId);
  if (!views.ok && views.failure.kind !== "not_found") return fail(toRequestFailure(views.failure));
  const all = (views.ok ? views.value : [])
    .filter((view) => matchesQuery(view, query))
    .toReversed();
  const from = after === null ? 0 : all.findIndex(({ run }) => run < after.createdAt);
  const rest = from < 0 ? [] : all.slice(from);
  const pageViews = rest.slice(0, query.pageSize);
  const last = pageViews.at(-1);
  const isMore = rest.length > pageViews.length && last !== undefined;
  return ok({
    tasks: pageViews.map((view) => buildListedTask(call, contextId, view, query)),
    next: isMore ? { createdAt: last.run, id: contextId } : null,
    total: all.length,
  });
}

function matchesQuery(
  { task, lastUpdate }: A2aTaskView,
  { state, updatedSince }: TaskQuery,
): boolean {
  return (
    (STATUSES_BY_A2A_STATE[state] === null || a2aStateOf(task) === state) &&
    lastUpdate.at >= updatedSince
  );
}

function buildListedTask(
  call: A2aCallContext,
  taskId: string,
  view: A2aTaskView,
  query: TaskQuery,
): Task {
  const task = buildA2aTask(call, { taskId, run: view.run }, view, query.historyMax);
  return query.includeArtifacts ? task : { ...task, artifacts: [] };
}
