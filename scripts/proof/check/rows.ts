import type { History, RowObservation } from "../history.ts";
import type { Log } from "../read-state.ts";
import type { Violation } from "./violation.ts";

/** A row with the first and last positions in the log at which the task had this state. */
interface Placed extends RowObservation {
  readonly first: number;
  readonly last: number;
}

/** Checks that each listed row matches a state of its task, and that later lists never show an older state. */
export function checkRows({ rows, unlisted }: History, logs: readonly Log[]): Violation[] {
  const byId = new Map(logs.map((log) => [log.taskId, log]));
  const problems = [...Map.groupBy(rows, ({ taskId }) => taskId)].flatMap(([about, seen]) => {
    const states = byId.get(about)?.states ?? [];
    const placed = seen.map((row): Placed => {
      const isSame = (state: { status: string; attempt: number }): boolean =>
        state.status === row.status && state.attempt === row.attempt;
      return { ...row, first: states.findIndex(isSame), last: states.findLastIndex(isSame) };
    });
    return [...wrong(placed)].map((message) => ({
      rule: "lists never show an older state",
      about,
      message,
    }));
  });
  const missing = unlisted.map((about) => ({
    rule: "the creator's next list contains the new task",
    about,
    message: "the list did not contain it",
  }));
  return [...problems, ...missing];
}

function* wrong(placed: readonly Placed[]): Generator<string> {
  for (const { first, status, attempt } of placed) {
    if (first < 0)
      yield `it was listed as ${status} in attempt ${attempt}, but never had that state`;
  }
  const observed = placed.toSorted((one, other) => one.seenFrom - other.seenFrom);
  const ended = placed.toSorted((one, other) => one.seenAt - other.seenAt);
  let most = 0;
  let next = 0;
  for (const { seenFrom, last, status } of observed) {
    for (; (ended[next]?.seenAt ?? Infinity) < seenFrom; next += 1) {
      most = Math.max(most, ended[next]?.first ?? 0);
    }
    if (last >= 0 && last < most)
      yield `it was listed as ${status} after a later state had been listed`;
  }
}
