import {
  type ListTasksRequest,
  type ListTasksResponse,
  type Task,
  taskStateToJSON,
} from "@a2a-js/sdk";
import { A2A_LIST_EXAMINED_MAX, A2A_LIST_LOGS_CONCURRENT_MAX } from "./limits.ts";
import { PAGE_LIMIT_DEFAULT } from "../../kernel/limits.ts";
import {
  compareNewestFirst,
  type ListPosition,
  type DirectoryFilter,
  type DirectoryRow,
} from "../../tasks/model/listing.ts";
import { isTerminal } from "../../tasks/model/task.ts";
import { readTaskCursor, writeTaskCursor } from "../../tasks/directory/task-cursor.ts";
import { readTaskPage } from "../../tasks/api/list-tasks.ts";
import type { A2aCallContext } from "./call-context.ts";
import { invalidParam } from "./errors.ts";
import { type A2aTaskView, parseA2aTaskId } from "./task-run.ts";
import { STATUSES_BY_A2A_STATE, a2aStateOf } from "./task-state.ts";
import { readA2aTaskViews, readVisibleViews } from "./tasks.ts";
import { buildA2aTask, contextIdOf, toListedA2aTask } from "./view.ts";

type TaskQuery = ReturnType<typeof parseTaskQuery>;

/** Parses the filters. Tasks last updated before `updatedSince`, in milliseconds since 1970, are excluded. */
function parseTaskQuery({ status, statusTimestampAfter: after, ...params }: ListTasksRequest) {
  const { pageSize = PAGE_LIMIT_DEFAULT, historyLength = 0, includeArtifacts = false } = params;
  const updatedSince = after === undefined ? -Infinity : Date.parse(after);
  return { state: status, updatedSince, pageSize, historyMax: historyLength, includeArtifacts };
}

interface TaskPage {
  readonly tasks: readonly Task[];
  readonly next: ListPosition | null;
  readonly total: number;
}

/**
 * ListTasks returns the last run of each task, newest task first. With a context id that the client chose, it returns
 * only tasks in that context. With the id of a task as the context id, it returns the later tasks in that context, and
 * then all runs of the task, newest first.
 */
export async function listA2aTasks(
  call: A2aCallContext,
  params: ListTasksRequest,
): Promise<ListTasksResponse> {
  const { env, key } = call;
  const { contextId, status, pageToken, statusTimestampAfter } = params;
  const query = parseTaskQuery(params);
  const isOfOneTask = parseA2aTaskId(contextId) !== null;
  const filter = {
    status: undefined,
    agentId: key.agentId ?? undefined,
    teamId: key.teamId ?? undefined,
    priority: undefined,
    createdFrom: undefined,
    createdTo: undefined,
    contextId: contextId === "" || isOfOneTask ? undefined : contextId,
    // A page token is valid only with the filters it was created for.
    list: [contextId, taskStateToJSON(status), statusTimestampAfter],
  };
  const after = pageToken === "" ? null : readTaskCursor(env.SIGNING_KEY, filter, pageToken);
  if (pageToken !== "" && after === null) {
    throw invalidParam(
      "pageToken",
      "must be the nextPageToken of a previous page with the same filters",
    );
  }
  const { tasks, next, total } = isOfOneTask
    ? await listContextOfTask(call, { ...filter, contextId }, query, after)
    : await listDirectory(call, filter, query, after);
  return {
    tasks: [...tasks],
    nextPageToken: next === null ? "" : writeTaskCursor(env.SIGNING_KEY, filter, next),
    pageSize: query.pageSize,
    totalSize: total,
  };
}

async function listDirectory(
  call: A2aCallContext,
  filter: DirectoryFilter,
  query: TaskQuery,
  after: ListPosition | null,
): Promise<TaskPage> {
  const statuses = STATUSES_BY_A2A_STATE[query.state] ?? [undefined];
  const examinedMax = needsFiltering(query) ? A2A_LIST_EXAMINED_MAX : query.pageSize;
  // One extra row shows whether there is a next page.
  const page = { limit: examinedMax + 1, offset: 0, after };
  const lists = await Promise.all(
    statuses.map((status) =>
      readTaskPage(call.env, { ...filter, status: status && [status] }, page),
    ),
  );
  const rows = lists.flatMap((list) => list.rows).toSorted(compareNewestFirst);
  const tasks: Task[] = [];
  let examined = 0;
  const examinable = rows.slice(0, examinedMax);
  while (examined < examinable.length && tasks.length < query.pageSize) {
    const batch = examinable.slice(examined, examined + A2A_LIST_LOGS_CONCURRENT_MAX);
    for (const last of await Promise.all(batch.map((row) => loadLastRun(call, row, query)))) {
      if (tasks.length >= query.pageSize) break;
      tasks.push(...last);
      examined += 1;
    }
  }
  const next = examined < rows.length ? (rows[examined - 1] ?? null) : null;
  const listed = lists.reduce((sum, { total }) => sum + total, 0);
  return { tasks, next, total: after === null && next === null ? tasks.length : listed };
}

/**
 * Whether rows must be filtered by reading their logs. The directory stores neither questions nor status timestamps.
 */
function needsFiltering({ state, updatedSince }: TaskQuery): boolean {
  return updatedSince > -Infinity || STATUSES_BY_A2A_STATE[state]?.includes("blocked") === true;
}

/** Loads the last run of a listed task. Returns an empty array if it does not match the query. */
async function loadLastRun(
  call: A2aCallContext,
  row: DirectoryRow,
  query: TaskQuery,
): Promise<Task[]> {
  // An ended task was last updated when it ended.
  if (isTerminal(row.status) && (row.endedAt ?? Infinity) < query.updatedSince) return [];
  if (!needsLog(row, query)) return [toListedA2aTask(row)];
  const views = await readA2aTaskViews(call, row.id);
  const last = views.ok ? views.value.slice(-1) : [];
  return last
    .filter((view) => matchesQuery(view, query))
    .map((view) => buildListedTask(call, view, query));
}

/** Whether the log must be read. The directory stores neither questions nor the number of runs. */
function needsLog({ status, attempt }: DirectoryRow, query: TaskQuery): boolean {
  const isPlain = attempt === 1 && status !== "blocked" && status !== "review";
  return (
    !isPlain || query.includeArtifacts || query.historyMax > 0 || query.updatedSince > -Infinity
  );
}

/** The list position just before a task's runs, which follow the later tasks in its context. */
const BEFORE_RUNS = Number.MAX_SAFE_INTEGER;

async function listContextOfTask(
  call: A2aCallContext,
  filter: DirectoryFilter & { readonly contextId: string },
  query: TaskQuery,
  after: ListPosition | null,
): Promise<TaskPage> {
  const { contextId } = filter;
  const isInRuns = after?.id === contextId;
  // Count both lists on every page, so the total stays the same.
  const listed = await listDirectory(call, filter, query, isInRuns ? null : after);
  const newer = isInRuns ? { tasks: [], next: null } : listed;
  const pageSize = newer.next === null ? query.pageSize - newer.tasks.length : 0;
  const runs = await listContext(call, contextId, { ...query, pageSize }, isInRuns ? after : null);
  return {
    tasks: [...newer.tasks, ...runs.tasks],
    next: newer.next ?? runs.next,
    total: listed.total + runs.total,
  };
}

async function listContext(
  call: A2aCallContext,
  contextId: string,
  query: TaskQuery,
  after: ListPosition | null,
): Promise<TaskPage> {
  const all = (await readVisibleViews(call, contextId))
    .filter((view) => contextIdOf(view) === contextId && matchesQuery(view, query))
    .toReversed();
  const from = after === null ? 0 : all.findIndex(({ run }) => run < after.createdAt);
  const rest = from < 0 ? [] : all.slice(from);
  const pageViews = rest.slice(0, query.pageSize);
  const last = pageViews.at(-1)?.run ?? BEFORE_RUNS;
  const isMore = rest.length > pageViews.length;
  return {
    tasks: pageViews.map((view) => buildListedTask(call, view, query)),
    next: isMore ? { createdAt: last, id: contextId } : null,
    total: all.length,
  };
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

function buildListedTask(call: A2aCallContext, view: A2aTaskView, query: TaskQuery): Task {
  const task = buildA2aTask(call, view, query.historyMax);
  return query.includeArtifacts ? task : { ...task, artifacts: [] };
}
