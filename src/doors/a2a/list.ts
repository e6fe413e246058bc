import { Task, type TaskState } from "@a2a-js/sdk";
import { shardsOf } from "../../db/shards.ts";
import { invalid } from "../../domain/failure.ts";
import {
  A2A_LIST_LOOKED_AT_MAX,
  A2A_LOGS_AT_ONCE_MAX,
  PAGE_LIMIT_DEFAULT,
} from "../../domain/limits.ts";
import { newestFirst, type Place } from "../../domain/listing.ts";
import { fail, ok, type Result } from "../../domain/result.ts";
import { isTerminal } from "../../domain/task.ts";
import { readTaskCursor, writeTaskCursor } from "../../tasks/cursor.ts";
import type { DirectoryFilter, DirectoryRow } from "../../tasks/directory.ts";
import { listTaskRows } from "../../tasks/shards.ts";
import type { Door } from "./door.ts";
import { faultOfFailure, type Fault } from "./faults.ts";
import type { Life } from "./lives.ts";
import { readLives } from "./log.ts";
import { shown } from "./show.ts";
import { STATUSES, stateOf } from "./states.ts";
import { taskOfRow } from "./view.ts";
import type { ListParams } from "./wire.ts";

/** What a list is of, once it is read. */
interface Wanted {
  readonly state: TaskState;
  /** The status is no older than this, in milliseconds since 1970. */
  readonly since: number;
  readonly pageSize: number;
  readonly historyMax: number;
  readonly artifacts: boolean;
}

interface Page {
  readonly tasks: readonly Task[];
  readonly next: Place | null;
  readonly total: number;
}

/** ListTasks: the last life of each task, newest task first; of one context all lives, the last first. */
export async function listTasks(door: Door, params: ListParams): Promise<Result<object, Fault>> {
  const { env, key } = door;
  const { contextId = "", status = "TASK_STATE_UNSPECIFIED", pageToken = "" } = params;
  const { pageSize = PAGE_LIMIT_DEFAULT, historyLength = 0, includeArtifacts = false } = params;
  const { statusTimestampAfter } = params;
  const wanted: Wanted = {
    state: STATES[status],
    since: statusTimestampAfter === undefined ? -Infinity : Date.parse(statusTimestampAfter),
    pageSize,
    historyMax: historyLength,
    artifacts: includeArtifacts,
  };
  const filter = {
    status: undefined,
    agentId: key.agentId ?? undefined,
    teamId: key.teamId ?? undefined,
    priority: undefined,
    createdFrom: undefined,
    createdTo: undefined,
    // A token is good for the list that it came with alone.
    list: [contextId, status, statusTimestampAfter],
  };
  const after = pageToken === "" ? null : readTaskCursor(env.SIGNING_KEY, filter, pageToken);
  if (pageToken !== "" && after === null) {
    const rule = "must be the nextPageToken of a list with these very filters";
    return fail(faultOfFailure(invalid("pageToken", rule)));
  }
  const page =
    contextId === ""
      ? ok(await listAll(door, filter, wanted, after))
      : await listContext(door, contextId, wanted, after);
  if (!page.ok) return page;
  const { tasks, next, total } = page.value;
  return ok({
    // The protocol has an empty list where artifacts are asked for, and its codec nothing.
    tasks: tasks.map((task) =>
      Object.assign(includeArtifacts ? { artifacts: [] } : {}, Task.toJSON(task)),
    ),
    nextPageToken: next === null ? "" : writeTaskCursor(env.SIGNING_KEY, filter, next),
    pageSize,
    totalSize: total,
  });
}

async function listAll(
  door: Door,
  filter: DirectoryFilter,
  wanted: Wanted,
  after: Place | null,
): Promise<Page> {
  const shards = shardsOf(door.env);
  const statuses = STATUSES[wanted.state] ?? [undefined];
  const looksMax = isSifted(wanted) ? A2A_LIST_LOOKED_AT_MAX : wanted.pageSize;
  // One row more than is looked at tells whether there is a next page.
  const page = { limit: looksMax + 1, offset: 0, after };
  const lists = await Promise.all(
    statuses.map((status) => listTaskRows(shards, { ...filter, status }, page)),
  );
  const rows = lists.flatMap((list) => list.rows).toSorted(newestFirst);
  const tasks: Task[] = [];
  let looks = 0;
  for (const goal = Math.min(looksMax, rows.length); looks < goal && isRoom(tasks, wanted);) {
    const some = rows.slice(looks, Math.min(looks + A2A_LOGS_AT_ONCE_MAX, goal));
    for (const last of await Promise.all(some.map((row) => lastOf(door, row, wanted)))) {
      if (!isRoom(tasks, wanted)) break;
      tasks.push(...last);
      looks += 1;
    }
  }
  const next = looks < rows.length ? (rows[looks - 1] ?? null) : null;
  const listed = lists.reduce((sum, { total }) => sum + total, 0);
  return { tasks, next, total: after === null && next === null ? tasks.length : listed };
}

/** Whether the directory lists more than what is wanted: it knows no questions, and not each status's instant. */
function isSifted({ state, since }: Wanted): boolean {
  return since > -Infinity || STATUSES[state]?.includes("blocked") === true;
}

function isRoom(tasks: readonly Task[], { pageSize }: Wanted): boolean {
  return tasks.length < pageSize;
}

/** The last life of a listed task; none when it is not what is wanted after all. */
async function lastOf(door: Door, row: DirectoryRow, wanted: Wanted): Promise<Task[]> {
  // What has ended has its last status from then.
  if (isTerminal(row.status) && (row.endedAt ?? Infinity) < wanted.since) return [];
  if (!needsLog(row, wanted)) return [taskOfRow(row)];
  const lives = await readLives(door.env, door.key, row.id);
  const life = lives.ok ? lives.value.at(-1) : undefined;
  return life === undefined || !isWanted(life, wanted)
    ? []
    : [await viewed(door, row.id, life, wanted)];
}

/** The directory knows neither what a task asks for nor how many lives it has had. */
function needsLog({ status, attempt }: DirectoryRow, wanted: Wanted): boolean {
  const isPlain = attempt === 1 && status !== "blocked" && status !== "review";
  return !isPlain || wanted.artifacts || wanted.historyMax > 0 || wanted.since > -Infinity;
}

async function listContext(
  door: Door,
  contextId: string,
  wanted: Wanted,
  after: Place | null,
): Promise<Result<Page, Fault>> {
  const lives = await readLives(door.env, door.key, contextId);
  if (!lives.ok && lives.failure.kind !== "not_found") return fail(faultOfFailure(lives.failure));
  const all = (lives.ok ? lives.value : []).filter((life) => isWanted(life, wanted)).toReversed();
  const from = after === null ? 0 : all.findIndex(({ number }) => number < after.createdAt);
  const rest = from < 0 ? [] : all.slice(from);
  const here = rest.slice(0, wanted.pageSize);
  const last = here.at(-1);
  const isMore = rest.length > here.length && last !== undefined;
  return ok({
    tasks: await Promise.all(here.map((life) => viewed(door, contextId, life, wanted))),
    next: isMore ? { createdAt: last.number, id: contextId } : null,
    total: all.length,
  });
}

function isWanted({ task, note }: Life, { state, since }: Wanted): boolean {
  return (STATUSES[state] === null || stateOf(task) === state) && note.at >= since;
}

async function viewed(door: Door, taskId: string, life: Life, wanted: Wanted): Promise<Task> {
  const task = await shown(door, { taskId, life: life.number }, life, wanted.historyMax);
  return wanted.artifacts ? task : { ...task, artifacts: [] };
}

/** The states by name: every one that `listParams` takes. */
const STATES = {
  TASK_STATE_UNSPECIFIED: 0,
  TASK_STATE_SUBMITTED: 1,
  TASK_STATE_WORKING: 2,
  TASK_STATE_COMPLETED: 3,
  TASK_STATE_FAILED: 4,
  TASK_STATE_CANCELED: 5,
  TASK_STATE_INPUT_REQUIRED: 6,
  TASK_STATE_REJECTED: 7,
  TASK_STATE_AUTH_REQUIRED: 8,
} as const satisfies Record<NonNullable<ListParams["status"]>, TaskState>;
