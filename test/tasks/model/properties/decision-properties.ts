import type { Failure } from "../../../../src/kernel/failure.ts";
import type { TaskStatus } from "../../../../src/tasks/model/task.ts";
import type { RunStep } from "./run-task.ts";
import { ALLOWED } from "../../../support/allowed-actions.ts";
import { effectiveStatusOf } from "../transition-table.ts";
import { ensure, type Property } from "./property.ts";
import { predict } from "./reference-model.ts";

export const DECISION_PROPERTIES: readonly Property[] = [
  {
    claim: "every command has the result that the transition table expects",
    observe: () => matchesModel,
  },
  {
    claim: "a rejected command changes nothing and states the reason",
    observe: () => explainsRejection,
  },
  {
    claim: "only the first of several create commands creates the task",
    observe: () => createdOnce,
  },
];

function matchesModel({ before, command, now, decided, task, world }: RunStep): void {
  if (before === null || command.type === "create") return;
  const foretold = predict(before, command, now);
  if (!decided.ok) {
    const { kind } = decided.failure;
    if (world.traits.isHoarder && kind === "validation" && "to" in foretold) return;
    ensure(
      "rejected" in foretold && foretold.rejected === kind,
      () => `${kind}, not ${shown(foretold)}`,
    );
    return;
  }
  const recorded = decided.value.map(({ type }) => type);
  const came = { recorded, to: effectiveStatusOf(task) };
  const isSame =
    "to" in foretold &&
    foretold.to === came.to &&
    foretold.recorded.length === recorded.length &&
    foretold.recorded.every((type, index) => type === recorded[index]);
  ensure(isSame, () => `${shown(came)}, not ${shown(foretold)}`);
}

function explainsRejection({ before, decided, task }: RunStep): void {
  if (decided.ok || before === null) return;
  ensure(task === before, () => "it changed");
  const { failure } = decided;
  ensure(isReason(failure, before.status), () => `${shown(failure)} in status ${before.status}`);
}

/**
 * Whether a rejection states the status and the allowed actions, or the problem with each value.
 */
function isReason(failure: Failure, status: TaskStatus): boolean {
  switch (failure.kind) {
    case "invalid_state":
    case "task_not_completed":
      return failure.action !== "" && statesStatus(failure, status);
    case "deadline_passed":
    case "no_other_agent":
    case "lease_lost":
      return statesStatus(failure, status);
    case "validation":
      return (
        failure.problems.length > 0 &&
        failure.problems.every(({ path, message }) => path !== "" && message !== "")
      );
    case "task_awaits_approval":
      return failure.approvalId !== "" && status === "blocked";
    default:
      return failure.kind === "idempotency_key_reused";
  }
}

function statesStatus(
  failure: { readonly status: string; readonly allowed: readonly string[] },
  status: TaskStatus,
): boolean {
  const allowed = ALLOWED[status];
  return (
    failure.status === status &&
    failure.allowed.length === allowed.length &&
    allowed.every((action) => failure.allowed.includes(action))
  );
}

function createdOnce({ before, command, decided, events }: RunStep): void {
  if (command.type !== "create") return;
  if (before === null) return ensure(events.length === 1, () => `${events.length} events`);
  const isSame = command.data.fingerprint === before.fingerprint;
  ensure(decided.ok === isSame, () =>
    isSame ? "rejected although unchanged" : "accepted as unchanged",
  );
  ensure(events.length === 0, () => "created again");
}

function shown(value: unknown): string {
  return JSON.stringify(value);
}
