import { BUILTIN_TERMS } from "../../src/agents/model/agent.ts";
import type { TaskEvent } from "../../src/tasks/model/events.ts";
import { applyEvent } from "../../src/tasks/model/fold.ts";
import { slotOf } from "../../src/tasks/model/slot.ts";
import { type Deliverable, isTerminal, outcomeOf, type Task } from "../../src/tasks/model/task.ts";
import { Dice } from "../domain/dice.ts";
import { PATH_LAWS } from "../domain/laws/path.ts";
import type { Step } from "../domain/living.ts";
import type { Actor } from "./actor.ts";
import { placesOf, wordOwed } from "./debts.ts";
import { markOf, type Ledger } from "./ledger.ts";
import { ratingFaults } from "./ratings.ts";
import { heldOn, logOn, taskOn } from "./truth.ts";
import type { World } from "./world.ts";

/** What is wrong with a life that has come to rest. */
export function judge(
  world: World,
  ledger: Ledger,
  wasMade: (taskId: string) => boolean,
): string[] {
  const tasks = [...world.tasks.values()].flatMap((actor) => {
    const log = logOn(actor.disk);
    const task = taskOn(actor.disk);
    if (task === null) return wasMade(actor.name) ? [`${actor.name} is lost`] : [];
    const faults = [
      ...pathFaults(log),
      ...markFaults(actor.name, log, ledger),
      ...shownFaults(actor.name, log, ledger),
      ...leaseFaults(log, ledger),
      ...feedFaults(world, actor.name, log),
      ...endFaults(world, actor, task),
    ];
    return faults.map((fault) => `${actor.name}: ${fault}`);
  });
  return [...tasks, ...ratingFaults(world)];
}

/** The laws of a log, as `test/domain` has them of the rules alone. */
function pathFaults(log: readonly TaskEvent[]): string[] {
  const watches = PATH_LAWS.map((law) => law.watch());
  let before: Task | null = null;
  try {
    for (const event of log) {
      const task: Task = applyEvent(before, event);
      for (const watch of watches) watch(stepOf(before, event, task));
      before = task;
    }
  } catch (error) {
    return [`its log is not lawful: ${String(error)}`];
  }
  return [];
}

function stepOf(before: Task | null, event: TaskEvent, task: Task): Step {
  return {
    before,
    command: { type: "tick", jitter: 0 },
    now: event.at,
    decided: { ok: true, value: [event] },
    events: [event],
    task,
    world: {
      character: { clock: { isSteady: true, isSlow: false }, isStubborn: false, isHoarder: false },
      terms: { ada: BUILTIN_TERMS, bob: BUILTIN_TERMS },
      tokens: [],
    },
    dice: new Dice(0),
  };
}

/** What was acknowledged is in the log once, what was refused is not, and nothing is there twice. */
function markFaults(taskId: string, log: readonly TaskEvent[], ledger: Ledger): string[] {
  const times = new Map<string, number>();
  for (const [index, event] of log.entries()) {
    const mark = markOf(event, log[index - 1]);
    if (mark !== null) times.set(mark, (times.get(mark) ?? 0) + 1);
  }
  return [...ledger.asked].flatMap(([mark, asked]) => {
    if (asked.taskId !== taskId) return [];
    const found = times.get(mark) ?? 0;
    const isFine = { done: found === 1, refused: found === 0, unknown: found <= 1 }[asked.told];
    return isFine
      ? []
      : [`${asked.what} (${mark}), told ${asked.told}, is in the log ${found} times`];
  });
}

/** Nobody was shown what a crash has taken away. */
function shownFaults(taskId: string, log: readonly TaskEvent[], ledger: Ledger): string[] {
  const statuses: (string | undefined)[] = [undefined];
  let task: Task | null = null;
  for (const event of log) {
    task = applyEvent(task, event);
    statuses.push(task.status);
  }
  const wrong = ledger.shown.find(
    (one) => one.taskId === taskId && statuses[one.seq] !== one.status,
  );
  return wrong === undefined
    ? []
    : [`${wrong.status} was shown at ${wrong.seq}, where the log has ${statuses[wrong.seq]}`];
}

/** Who was told that he holds a task until some time did not lose it sooner for want of a sign of life. */
function leaseFaults(log: readonly TaskEvent[], ledger: Ledger): string[] {
  let token: string | null = null;
  return log.flatMap((event) => {
    if (event.type === "started" || event.type === "resumed")
      token = event.data.lease?.token ?? null;
    const isLost =
      (event.type === "retried" && event.data.automatic?.error.code === "LEASE_EXPIRED") ||
      (event.type === "failed" && event.data.error.code === "LEASE_EXPIRED");
    const promised = token === null ? undefined : ledger.promised.get(token);
    return isLost && promised !== undefined && event.at < promised
      ? [`the lease ${token} was lost at ${event.at}, and promised until ${promised}`]
      : [];
  });
}

function feedFaults(world: World, taskId: string, log: readonly TaskEvent[]): string[] {
  const fed = world.fed();
  return log.flatMap(({ seq }) => {
    const times = fed.get(`${taskId}.${seq}`) ?? 0;
    return times === 1 ? [] : [`the feed has event ${seq} ${times} times`];
  });
}

function endFaults(world: World, actor: Actor, task: Task): string[] {
  const faults: string[] = [];
  const owed = wordOwed(world, actor, task);
  if (owed !== null) faults.push(owed);
  const places = placesOf(world, actor.name);
  const place = slotOf(task);
  const isPlaced = place === "none" ? places.length === 0 : places.length <= 1;
  if (!isPlaced)
    faults.push(`its place is ${place}, and it stands in the queues as ${JSON.stringify(places)}`);
  if (!isAtRest(world, task)) faults.push(`it does not come to an end, and is ${task.status}`);
  const missing = (outcomeOf(task)?.deliverables ?? []).find((file) => !isKept(world, actor, file));
  if (missing !== undefined) faults.push(`the file ${missing.key} is missing`);
  return faults;
}

/** In the store names are enough; a file in the log tells its own. */
function isKept(world: World, { disk }: Actor, file: Deliverable): boolean {
  if (file.heldAt === undefined) return world.files.keys.has(file.key);
  return new TextDecoder().decode(heldOn(disk, file) ?? new Uint8Array()) === file.name;
}

/** Whether it has ended or waits for people, who alone can give back a task to agents that it was taken from. */
export function isAtRest(world: World, task: Task): boolean {
  if (isTerminal(task.status) || task.status === "blocked" || task.status === "review") return true;
  if (task.status !== "pending" || task.agentId !== null) return false;
  const agentIds = Object.keys(world.setting.agents);
  return (
    task.requestedAgentId === null && agentIds.every((id) => task.excludedAgentIds.includes(id))
  );
}
