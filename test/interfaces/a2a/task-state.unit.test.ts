import { describe, expect, it } from "vitest";
import {
  TASK_EVENT_TYPES,
  type TaskEventType,
  type NewTaskEvent,
} from "../../../src/tasks/model/events.ts";
import {
  BLOCK_KINDS,
  TASK_STATUSES,
  type BlockKind,
  type TaskStatus,
} from "../../../src/tasks/model/task.ts";
import {
  endsStream,
  isTerminalState,
  isTerminalOrInterrupted,
  statusUpdateOf,
  STATUSES_BY_A2A_STATE,
  a2aStateOf,
} from "../../../src/interfaces/a2a/task-state.ts";
import { ADA, AGENT_ERROR, buildCreated, OUTCOME } from "../../tasks/model/fixtures.ts";
import { STATE } from "./states.ts";

const OF_STATUS: Readonly<Record<Exclude<TaskStatus, "blocked">, number>> = {
  pending: STATE.submitted,
  assigned: STATE.submitted,
  in_progress: STATE.working,
  review: STATE.inputRequired,
  completed: STATE.completed,
  failed: STATE.failed,
  cancelled: STATE.canceled,
};

const OF_BLOCK: Readonly<Record<BlockKind, number>> = {
  input: STATE.inputRequired,
  approval: STATE.inputRequired,
  budget: STATE.inputRequired,
  dependency: STATE.inputRequired,
  auth: STATE.authRequired,
};

function blockedFor(kind: BlockKind) {
  return a2aStateOf({ status: "blocked", blocked: { kind } });
}

describe("A2A states", () => {
  it("every status except blocked has one A2A state", () => {
    const states = TASK_STATUSES.filter((status) => status !== "blocked").map((status) => [
      status,
      a2aStateOf({ status, blocked: null }),
    ]);
    expect(Object.fromEntries(states)).toEqual(OF_STATUS);
  });

  it("a blocked task is input-required, or auth-required if it waits for authentication", () => {
    expect(Object.fromEntries(BLOCK_KINDS.map((kind) => [kind, blockedFor(kind)]))).toEqual(
      OF_BLOCK,
    );
  });

  it("a list by an A2A state requests exactly the statuses that can have this state", () => {
    for (const status of TASK_STATUSES) {
      const states: number[] = status === "blocked" ? Object.values(OF_BLOCK) : [OF_STATUS[status]];
      for (const [state, statuses] of Object.entries(STATUSES_BY_A2A_STATE)) {
        if (statuses === null) continue;
        expect([state, statuses.includes(status)]).toEqual([state, states.includes(Number(state))]);
      }
    }
    // TASK_STATE_UNSPECIFIED does not filter.
    expect(STATUSES_BY_A2A_STATE[0]).toBeNull();
  });

  it("ended states are terminal, waiting states are interrupted, and only input-required also ends a stream", () => {
    for (const state of Object.values(STATE)) {
      const over = [STATE.completed, STATE.failed, STATE.canceled].some((one) => one === state);
      const asks = [STATE.inputRequired, STATE.authRequired].some((one) => one === state);
      expect([
        state,
        isTerminalState(state),
        isTerminalOrInterrupted(state),
        endsStream(state),
      ]).toEqual([state, over, over || asks, over || state === STATE.inputRequired]);
    }
  });
});

const CALLS = { calls: [] };
const WORK = { progress: 40, phase: "drafting", work: {}, ...CALLS };

const SILENT = Symbol("silent");
/** One event of each type, with the text of its A2A update; null if the update has no text. */
const UPDATES: Readonly<
  Record<TaskEventType, readonly [NewTaskEvent, string | null | typeof SILENT]>
> = {
  created: [{ type: "created", data: buildCreated() }, null],
  assigned: [{ type: "assigned", data: ADA }, "Assigned to ADA."],
  declined: [
    { type: "declined", data: { agentId: "ada", reason: "It is busy." } },
    "Searching for another agent: It is busy.",
  ],
  started: [{ type: "started", data: { agentId: "ada" } }, null],
  resumed: [{ type: "resumed", data: { agentId: "ada" } }, SILENT],
  progressed: [{ type: "progressed", data: WORK }, "40%: drafting"],
  blocked: [
    { type: "blocked", data: { kind: "input", question: "Which year?", work: {}, ...CALLS } },
    "Which year?",
  ],
  call_stored: [
    {
      type: "call_stored",
      data: { approvalId: "a", toolId: "bank", capability: "transfer", sha256: "0" },
    },
    SILENT,
  ],
  call_settled: [
    { type: "call_settled", data: { approvalId: "a", status: "denied", message: "Denied." } },
    "Denied.",
  ],
  responded: [{ type: "responded", data: { response: "2025" } }, null],
  submitted: [
    { type: "submitted", data: { ...OUTCOME, ...CALLS } },
    "Waiting for review. Two penguins differ.",
  ],
  approved: [{ type: "approved", data: { comment: "Good." } }, SILENT],
  changes_requested: [{ type: "changes_requested", data: { comment: "More." } }, null],
  completed: [{ type: "completed", data: { ...OUTCOME, ...CALLS } }, null],
  failed: [{ type: "failed", data: { error: AGENT_ERROR, ...CALLS } }, "It broke."],
  cancelled: [{ type: "cancelled", data: { reason: "Not needed." } }, "Not needed."],
  retried: [
    { type: "retried", data: { attempt: 2, reassign: false, choice: ADA, context: null } },
    null,
  ],
  updated: [{ type: "updated", data: { priority: "low" } }, SILENT],
  rated: [{ type: "rated", data: { rating: 5 } }, SILENT],
};

describe("the A2A update of an event", () => {
  it("the table of updates has a row for every type of event", () => {
    expect(Object.keys(UPDATES).toSorted()).toEqual(TASK_EVENT_TYPES.toSorted());
  });

  it.each(Object.values(UPDATES).map(([event, text]) => [event.type, event, text] as const))(
    "the event %s has its expected A2A update or none",
    (_type, event, text) => {
      const states = statusUpdateOf({ ...event, seq: 1, at: 0 });
      expect(states).toEqual(text === SILENT ? null : { text });
    },
  );

  it("progress from outside the agent's own steps is not an A2A update", () => {
    expect(
      statusUpdateOf({ type: "progressed", data: { ...WORK, outside: true }, seq: 1, at: 0 }),
    ).toBe(null);
  });

  it("an automatic retry has a message with the reason", () => {
    const automatic = { error: AGENT_ERROR, notBefore: 0 };
    const data = { attempt: 2, reassign: false, choice: ADA, context: null, automatic };
    expect(statusUpdateOf({ type: "retried", data, seq: 1, at: 0 })).toEqual({
      text: "Retrying automatically: It broke.",
    });
  });
});
