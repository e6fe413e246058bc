import { BUILTIN_TERMS } from "../../src/agents/model/agent.ts";
import type { TaskEvent } from "../../src/tasks/model/events.ts";
import { applyEvent } from "../../src/tasks/model/fold.ts";
import {
  slotOf,
  type Deliverable,
  isTerminal,
  outcomeOf,
  type Task,
} from "../../src/tasks/model/task.ts";
import { Rng } from "../support/rng.ts";
import { PATH_PROPERTIES } from "../tasks/model/properties/path-properties.ts";
import type { RunStep } from "../tasks/model/properties/run-task.ts";
import type { SimulatedObject } from "./simulated-object.ts";
import { queueEntriesOf, findPendingUpdate } from "./pending-effects.ts";
import { requestMarkOf, type RequestLog } from "./request-log.ts";
import { findRatingViolations } from "./check-ratings.ts";
import { readFileBytes, readLog, readTask } from "./stored-state.ts";
import type { SimulatedPlatform } from "./platform.ts";

/** Returns the violations in a world whose pending work is done. */
export function findViolations(
  platform: SimulatedPlatform,
  requestLog: RequestLog,
  wasMade: (taskId: string) => boolean,
): string[] {
  const tasks = [...platform.tasks.values()].flatMap((object) => {
    const log = readLog(object.disk);
    const task = readTask(object.disk);
    if (task === null) return wasMade(object.name) ? [`${object.name} is lost`] : [];
    const violations = [
      ...pathFaults(log),
      ...markFaults(object.name, log, requestLog),
      ...shownFaults(object.name, log, requestLog),
      ...leaseFaults(log, requestLog),
      ...feedFaults(platform, object.name, log),
      ...endFaults(platform, object, task),
    ];
    return violations.map((violation) => `${object.name}: ${violation}`);
  });
  return [...tasks, ...findRatingViolations(platform)];
}

/** Checks a log against the invariants that `test/tasks/model` checks for the task model alone. */
function pathFaults(log: readonly TaskEvent[]): string[] {
  const watches = PATH_PROPERTIES.map((property) => property.observe());
  let before: Task | null = null;
  try {
    for (const event of log) {
      const task: Task = applyEvent(before, event);
      for (const watch of watches) watch(stepOf(before, event, task));
      before = task;
    }
  } catch (error) {
    return [`its log is invalid: ${String(error)}`];
  }
  return [];
}

function stepOf(before: Task | null, event: TaskEvent, task: Task): RunStep {
  return {
    before,
    command: { type: "expire", jitter: 0 },
    now: event.at,
    decided: { ok: true, value: [event] },
    events: [event],
    task,
    world: {
      traits: { clock: { isSteady: true, isSlow: false }, isStubborn: false, isHoarder: false },
      terms: { ada: BUILTIN_TERMS, bob: BUILTIN_TERMS },
      tokens: [],
    },
    rng: new Rng(0),
  };
}

/** Each acknowledged request must appear in the log once, and rejected requests must not appear. */
function markFaults(taskId: string, log: readonly TaskEvent[], requestLog: RequestLog): string[] {
  const times = new Map<string, number>();
  for (const [index, event] of log.entries()) {
    const mark = requestMarkOf(event, log[index - 1]);
    if (mark !== null) times.set(mark, (times.get(mark) ?? 0) + 1);
  }
  return [...requestLog.asked].flatMap(([mark, asked]) => {
    if (asked.taskId !== taskId) return [];
    const found = times.get(mark) ?? 0;
    const isFine = { done: found === 1, rejected: found === 0, unknown: found <= 1 }[asked.outcome];
    return isFine
      ? []
      : [`${asked.what} (${mark}), acknowledged as ${asked.outcome}, is in the log ${found} times`];
  });
}

/** Clients must never see a state that a crash then removes from the log. */
function shownFaults(taskId: string, log: readonly TaskEvent[], requestLog: RequestLog): string[] {
  const statuses: (string | undefined)[] = [undefined];
  let task: Task | null = null;
  for (const event of log) {
    task = applyEvent(task, event);
    statuses.push(task.status);
  }
  const wrong = requestLog.shown.find(
    (one) => one.taskId === taskId && statuses[one.seq] !== one.status,
  );
  return wrong === undefined
    ? []
    : [`a client received ${wrong.status} at ${wrong.seq}, but the log has ${statuses[wrong.seq]}`];
}

/** A worker's lease must not expire before the time that the worker was promised. */
function leaseFaults(log: readonly TaskEvent[], requestLog: RequestLog): string[] {
  let token: string | null = null;
  return log.flatMap((event) => {
    if (event.type === "started" || event.type === "resumed")
      token = event.data.lease?.token ?? null;
    const isLost =
      (event.type === "retried" && event.data.automatic?.error.code === "LEASE_EXPIRED") ||
      (event.type === "failed" && event.data.error.code === "LEASE_EXPIRED");
    const promised = token === null ? undefined : requestLog.promised.get(token);
    return isLost && promised !== undefined && event.at < promised
      ? [`the lease ${token} was lost at ${event.at}, but was promised until ${promised}`]
      : [];
  });
}

function feedFaults(
  platform: SimulatedPlatform,
  taskId: string,
  log: readonly TaskEvent[],
): string[] {
  const fed = platform.fed();
  return log.flatMap(({ seq }) => {
    const times = fed.get(`${taskId}.${seq}`) ?? 0;
    return times === 1 ? [] : [`the feed has event ${seq} ${times} times`];
  });
}

function endFaults(platform: SimulatedPlatform, object: SimulatedObject, task: Task): string[] {
  const violations: string[] = [];
  const pending = findPendingUpdate(platform, object, task);
  if (pending !== null) violations.push(pending);
  const places = queueEntriesOf(platform, object.name);
  const place = slotOf(task);
  const isPlaced = place === "none" ? places.length === 0 : places.length <= 1;
  if (!isPlaced)
    violations.push(`its slot is ${place}, but the queues list it as ${JSON.stringify(places)}`);
  if (!isSettled(platform, task)) violations.push(`it has not ended and is ${task.status}`);
  const missing = (outcomeOf(task)?.deliverables ?? []).find(
    (file) => !isKept(platform, object, file),
  );
  if (missing !== undefined) violations.push(`the file ${missing.key} is missing`);
  return violations;
}

/**
 * Whether a file still exists. The simulated R2 stores only keys, and a file stored in the log
 * contains its own name.
 */
function isKept(
  platform: SimulatedPlatform,
  { disk }: SimulatedObject,
  file: Deliverable,
): boolean {
  if (file.heldAt === undefined) return platform.files.keys.has(file.key);
  return new TextDecoder().decode(readFileBytes(disk, file) ?? new Uint8Array()) === file.name;
}

/**
 * Whether a task has ended or waits for a person. A task for which every agent is excluded also
 * waits for a person, because only a person can assign it to an excluded agent.
 */
export function isSettled(platform: SimulatedPlatform, task: Task): boolean {
  if (isTerminal(task.status) || task.status === "blocked" || task.status === "review") return true;
  if (task.status !== "pending" || task.agentId !== null) return false;
  const agentIds = Object.keys(platform.scenario.agents);
  return (
    task.requestedAgentId === null && agentIds.every((id) => task.excludedAgentIds.includes(id))
  );
}
