import { hasQueue } from "../../../../src/agents/model/agent.ts";
import { isActive, slotOf, type Task, workStartSeqOf } from "../../../../src/tasks/model/task.ts";
import { withAllFields } from "../all-fields.ts";
import type { RunStep } from "./run-task.ts";
import { ensure, type Property } from "./property.ts";

const OPENS: ReadonlySet<string> = new Set(["started", "resumed"]);
const PEOPLE: ReadonlySet<string> = new Set(["responded", "changes_requested"]);
const STOPS: ReadonlySet<string> = new Set([
  "blocked",
  "submitted",
  "completed",
  "failed",
  "cancelled",
  "retried",
  "declined",
]);

export const AGENT_PROPERTIES: readonly Property[] = [
  {
    claim: "an automatic retry excludes the agents that people have excluded",
    observe: () => exclusions,
  },
  {
    claim:
      "an update changes the agent only before the attempt starts, to the agent that it names, which inherits no work and no queue",
    observe: () => agentChanges,
  },
  {
    claim: "a task that left an agent's queue for another agent is not assigned to a third one",
    observe: () => assignments,
  },
  {
    claim:
      "the agent works from the start, a resumption or an answer until it stops, and otherwise the task waits",
    observe: () => atWork,
  },
  {
    claim: "a change that affects the agent's queue has a new version",
    observe: () => versions,
  },
  {
    claim:
      "tokens and spend grow over all attempts by exactly the amounts in the log and the agents' prices",
    observe: spending,
  },
];

function exclusions({ before, command, task }: RunStep): void {
  if (before === null || command.type === "retry" || command.type === "decline") return;
  const chosen = command.type === "update" ? command.choice?.agentId : undefined;
  // People can give the task to an agent that is excluded.
  const isChosen = chosen !== undefined && chosen !== before.agentId && task.agentId === chosen;
  const expected = before.excludedAgentIds.filter((id) => !isChosen || id !== chosen).join();
  const found = task.excludedAgentIds.join();
  ensure(found === expected, () => `${found}, not ${expected}`);
}

function agentChanges({ before, command, decided, events, task }: RunStep): void {
  if (before === null || command.type !== "update") return;
  const chosen = command.choice?.agentId ?? before.agentId;
  if (chosen === before.agentId || !decided.ok) {
    ensure(task.agentId === before.agentId, () => `${before.agentId} became ${task.agentId}`);
    const names = events.some(({ data }) => "choice" in data);
    ensure(!names, () => `an event names ${chosen}, which has the task`);
    return;
  }
  const isUnstarted = before.status === "pending" || before.status === "assigned";
  ensure(isUnstarted, () => `a task that is ${before.status} was given to ${chosen}`);
  ensure(task.status === "pending", () => `the task is ${task.status}, not pending`);
  ensure(task.agentId === chosen, () => `the task has ${task.agentId}, not ${chosen}`);
  ensure(task.requestedAgentId === chosen, () => `${task.requestedAgentId} was requested`);
  ensure(task.notBefore === null, () => `the attempt waits until ${task.notBefore}`);
  ensure(Object.keys(task.work).length === 0, () => `it inherits ${JSON.stringify(task.work)}`);
  const left = slotOf(before) === "queued" ? before.agentId : before.leftAgentId;
  ensure(task.leftAgentId === left, () => `it left the queue of ${task.leftAgentId}, not ${left}`);
  const isHidden = before.lastAgentId === null || before.lastAgentId === chosen;
  const since = isHidden ? before.assignedSinceSeq : task.seq;
  ensure(task.assignedSinceSeq === since, () => `visible since ${task.assignedSinceSeq}`);
}

function assignments({ before, command, events, task }: RunStep): void {
  if (before === null || command.type !== "assign" || events.length === 0) return;
  const isExpected = before.agentId === null || before.agentId === task.agentId;
  ensure(isExpected, () => `${before.agentId} was chosen, but ${task.agentId} got the task`);
  ensure(task.leftAgentId === null, () => `it may still be in the queue of ${task.leftAgentId}`);
}

function atWork({ before, events, task }: RunStep): void {
  let openedSeq = before === null ? 0 : workStartSeqOf(before);
  // The command that settles a call records no other event.
  const endsWait = before?.status === "blocked" && task.status === "in_progress";
  for (const { type, seq } of events) {
    if (OPENS.has(type)) openedSeq = seq;
    else if (PEOPLE.has(type) || (type === "call_settled" && endsWait))
      openedSeq = before !== null && hasQueue(before.terms) ? 0 : seq;
    else if (STOPS.has(type)) openedSeq = 0;
  }
  ensure(
    workStartSeqOf(task) === openedSeq,
    () => `working since ${workStartSeqOf(task)}, not ${openedSeq}`,
  );
  ensure(isActive(task) === openedSeq > 0, () => `active does not match the status ${task.status}`);
  const isUnderWay = task.status === "assigned" || task.status === "in_progress";
  const place = openedSeq > 0 ? "active" : "queued";
  const expected = hasQueue(task.terms) && isUnderWay ? place : "none";
  ensure(slotOf(task) === expected, () => `its slot is ${slotOf(task)}, not ${expected}`);
}

function versions({ before, task }: RunStep): void {
  const least = before?.queueVersion ?? 1;
  const isValid = task.queueVersion >= least && task.queueVersion <= task.seq;
  ensure(isValid, () => `queue version ${task.queueVersion}, after ${least}`);
  if (before === null || task.queueVersion !== before.queueVersion) return;
  const isSame =
    slotOf(task) === slotOf(before) &&
    task.agentId === before.agentId &&
    task.priority === before.priority &&
    task.deadline === before.deadline;
  ensure(isSame, () => "the change does not reach its queue");
}

/** The amounts are in millionths of a dollar. The price of each agent's tasks is paid at most once. */
function spending(): (step: RunStep) => void {
  const paid = new Set<string>();
  let [cost, agentCost, toolCalls, input, output] = [0, 0, 0, 0, 0];
  return ({ before, events, task, now }) => {
    const price = before === null ? 0 : minutePrice(before, now);
    let isWorking = before !== null && isActive(before);
    for (const { type, data } of events) {
      const calls = "calls" in data ? data.calls : [];
      const use = "use" in data ? data.use : undefined;
      const reported = "cost" in data ? toMicro(data.cost ?? 0) : 0;
      for (const call of calls) cost += toMicro(call.cost);
      cost += toMicro(use?.cost ?? 0) + reported;
      agentCost += reported;
      toolCalls += calls.length;
      input += use?.inputTokens ?? 0;
      output += use?.outputTokens ?? 0;
      if (!isWorking || !STOPS.has(type)) continue;
      isWorking = false;
      cost += price;
      agentCost += price;
    }
    const { agentId, terms, budget } = task;
    const perTask = toMicro(terms.price?.perTask ?? 0);
    const begins = isActive(task) && workStartSeqOf(task) > (before?.seq ?? 0);
    const isCovered = perTask <= toMicro(budget?.maxCost ?? Infinity) - cost;
    if (begins && agentId !== null && perTask > 0 && !paid.has(agentId) && isCovered) {
      paid.add(agentId);
      cost += perTask;
      agentCost += perTask;
    }
    const spent = [task.spend.cost, task.spend.agentCost ?? 0].map(toMicro);
    const isPaid = spent[0] === cost && spent[1] === agentCost;
    ensure(isPaid, () => `spent ${JSON.stringify(task.spend)}, not ${cost}, of it ${agentCost}`);
    ensure(task.spend.toolCalls === toolCalls, () => `${task.spend.toolCalls}, not ${toolCalls}`);
    const isCounted = task.tokens.input === input && task.tokens.output === output;
    ensure(isCounted, () => `used ${JSON.stringify(task.tokens)}, not ${input} and ${output}`);
  };
}

/** The price of the time that the agent has worked since it last started. */
function minutePrice(task: Task, now: number): number {
  const { workingSince } = withAllFields(task);
  const workedMs = workingSince === null ? 0 : Math.max(0, now - workingSince);
  return toMicro(((task.terms.price?.perMinute ?? 0) * workedMs) / 60_000);
}

function toMicro(usd: number): number {
  return Math.round(usd * 1_000_000);
}
