import { describe, expect, it } from "vitest";
import { STATUSES } from "../../console/src/tasks/filters.ts";
import { listMoves, moveOf } from "../../console/src/tasks/transitions.ts";
import { allowedActions } from "../../src/tasks/model/transitions.ts";

const PAIRS = STATUSES.flatMap((from) => STATUSES.map((to) => [from, to] as const));

describe("the moves on the board", () => {
  it("a card can be moved to these columns, and to no others", () => {
    const moves = PAIRS.flatMap(([from, to]) => {
      const move = moveOf(from, to);
      return move.kind === "rejected" ? [] : [`${from} → ${to}: ${move.label}`];
    });
    expect(moves).toEqual([
      "pending → cancelled: Cancel",
      "assigned → cancelled: Cancel",
      "in_progress → cancelled: Cancel",
      "blocked → in_progress: Answer",
      "blocked → cancelled: Cancel",
      "review → in_progress: Request changes",
      "review → completed: Approve",
      "review → cancelled: Cancel",
      "failed → pending: Retry",
    ]);
  });

  it.each(PAIRS)(
    "a move from %s to %s is one that the state machine allows, or says why not",
    (from, to) => {
      const move = moveOf(from, to);
      const isExplained = move.kind === "rejected" && /cannot be moved/.test(move.reason);
      const isAllowed = move.kind === "act" && allowedActions(from).includes(move.action.kind);
      expect(isExplained || isAllowed || move.kind === "open").toBe(true);
    },
  );

  it.each(STATUSES)(
    "cancelling and retrying a task that is %s is offered exactly if it is allowed",
    (status) => {
      const offered = new Set(listMoves(status).map(({ label }) => label.toLowerCase()));
      for (const action of ["cancel", "retry"] as const) {
        expect(offered.has(action)).toBe(allowedActions(status).includes(action));
      }
    },
  );

  it("answers and reviews are offered only where a person is asked", () => {
    expect(listMoves("blocked").map(({ label }) => label)).toContain("Answer");
    expect(listMoves("review").map(({ label }) => label)).toEqual([
      "Request changes",
      "Approve",
      "Cancel",
    ]);
  });
});
