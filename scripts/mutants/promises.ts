/** The numbered guarantees in docs/reliability.md, and other rules that mutants break. */
export const PROMISES = {
  1: "no 2xx for a write that a crash can lose",
  2: "at most one task, and one effect, for each idempotency key",
  3: "a task's log is one valid sequence of transitions with one terminal event",
  4: "exactly one of several racing commands wins",
  5: "pending work always has an alarm",
  6: "the directory converges and never shows an older state",
  7: "the creator's next list contains the new task",
  8: "deadlines are enforced within a second",
  9: "grants, scopes and bindings apply on every path",
  10: "a failure of one agent or tool does not affect other requests",
  11: "invalid input always gets a 4xx and is never partly written",
  audit: "every change of the configuration is recorded once, and changed rows are detected",
  secrets: "secrets and signed links reach only authorised clients",
  egress: "no request is sent to a private address",
  limits: "calls never use more than their spending limits allow",
  results: "results state what was read, and costs match usage",
} as const;

export type Promised = keyof typeof PROMISES;

/** The numbered guarantees, each of which needs at least one mutant. */
export const NUMBERED: readonly Promised[] = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11];
