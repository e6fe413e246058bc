import { hasQueue } from "../../../../src/agents/model/agent.ts";
import { taskView, listedTaskView } from "../../../../src/tasks/api/view.ts";
import { toDirectoryRow } from "../../../../src/tasks/directory/directory.store.ts";
import { isActive, isTerminal, type Task } from "../../../../src/tasks/model/task.ts";
import { waitingFor, type WaitKind } from "../../../../src/tasks/model/waiting.ts";
import { ensure, type Property } from "./property.ts";
import type { RunStep } from "./run-task.ts";

export const WAITING_PROPERTIES: readonly Property[] = [
  {
    claim: "a task waits exactly if it is neither ended nor being worked on nor due",
    observe: () => waits,
  },
  {
    claim: "a wait begins with an event of the task and lasts as long as it has the same reason",
    observe: keepsStart,
  },
  {
    claim: "a list shows the same state as the task after each event that updates the list",
    observe: () => isListed,
  },
];

/** The kinds of wait that a task can have; "none" if it may not wait. */
function possibleWaits(task: Task): readonly (WaitKind | "none")[] {
  const queueWait = task.terms.executor === "worker" ? "agent" : "slot";
  const isQueued = hasQueue(task.terms);
  switch (task.status) {
    case "pending":
      return task.agentId === null ? ["agent"] : ["retry", "none"];
    case "assigned":
      return [isQueued ? queueWait : "none"];
    case "in_progress":
      return [isActive(task) || !isQueued ? "none" : queueWait];
    case "blocked":
      return ["question"];
    case "review":
      return ["review"];
    default:
      return ["none"];
  }
}

function waits({ task, now }: RunStep): void {
  const kind = waitingFor(task, now)?.kind ?? "none";
  ensure(possibleWaits(task).includes(kind), () => `${task.status}: ${kind}`);
  ensure(!isTerminal(task.status) || kind === "none", () => `it has ended and waits for ${kind}`);
}

function keepsStart(): (step: RunStep) => void {
  const times = new Set<number>();
  return ({ before, events, task, now }) => {
    for (const { at } of events) times.add(at);
    const wait = waitingFor(task, now);
    if (wait === null) return;
    ensure(times.has(wait.since), () => `no event occurred at ${wait.since}`);
    const known = before === null ? null : waitingFor(before, now);
    const isSame = events.every(({ type }) => type === "updated" || type === "rated");
    if (known !== null && isSame)
      ensure(known.since === wait.since, () => `${known.since} became ${wait.since}`);
  };
}

function isListed({ task, now }: RunStep): void {
  if (task.seq !== task.directoryVersion) return;
  const shown = taskView("https://bosun.test", "task", task, {
    viewer: { agentId: null, teamId: null },
    now,
  });
  const listed = listedTaskView(
    toDirectoryRow("task", task, () => 0),
    now,
  );
  const { details, ...error } = shown.error ?? {};
  const expected = [shown.progress, shown.waitingFor, shown.spend, error];
  const found = [listed.progress, listed.waitingFor, listed.spend, listed.error ?? {}];
  const [one, other] = [JSON.stringify(expected), JSON.stringify(found)];
  ensure(one === other, () => `${one} is listed as ${other}`);
}
