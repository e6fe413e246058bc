import { describe, expect, it } from "vitest";
import type { AgentTerms } from "../../../src/agents/model/agent.ts";
import type { NewTaskEvent } from "../../../src/tasks/model/events.ts";
import { filterEventData, toEventData, toFeedEvent } from "../../../src/tasks/model/event-data.ts";
import { affectsQueue, applyEvent } from "../../../src/tasks/model/fold.ts";
import { pendingQueueUpdate } from "../../../src/tasks/model/queue-update.ts";
import { workDueAt } from "../../../src/tasks/model/schedule.ts";
import type { TaskCommand } from "../../../src/tasks/model/command.ts";
import type { Task } from "../../../src/tasks/model/task.ts";
import { checkAgentBinding, findFirstVisibleSeq } from "../../../src/tasks/model/visibility.ts";
import { allowedActions } from "../../../src/tasks/model/transitions.ts";
import {
  ADA,
  applyCommand,
  BOB,
  buildCreated,
  choice,
  COMMANDS,
  decidedEvents,
  decidedFailure,
  foldEvents,
  GRANT,
  newEvent,
  QUEUED,
  SECOND,
  T0,
  taskAfter,
  UNQUEUED,
  WORKER,
} from "./fixtures.ts";
import { AGENT_KINDS, commandsTo, effectiveStatusesOf } from "./transition-table.ts";

const EVE = choice("eve");
const NOW = T0 + 32 * SECOND;
const TIMING = { stepIntervalMs: 500, retentionMs: null };

function giveTo(agent: typeof ADA, change: object = {}): TaskCommand {
  return { type: "update", change, choice: agent };
}

function assignTo(agent: typeof ADA, terms: AgentTerms): TaskCommand {
  return { type: "assign", choice: agent, terms };
}

const UNSTARTED = AGENT_KINDS.flatMap((kind) =>
  (["pending", "assigned"] as const).map((status) => ({ kind, status })),
);
const STARTED = AGENT_KINDS.flatMap((kind) =>
  effectiveStatusesOf(kind)
    .filter((status) => !["pending", "assigned", "completed", "cancelled"].includes(status))
    .map((status) => ({ kind, status })),
);

describe("giving a task to another agent", () => {
  it.each(UNSTARTED)(
    "a task that is $status ($kind) is pending with the other agent, which was requested",
    ({ kind, status }) => {
      const before = taskAfter(...commandsTo(kind, status));
      expect(decidedEvents(before, giveTo(BOB), NOW)).toEqual([
        { type: "updated", data: { choice: BOB } },
      ]);
      const task = applyCommand(before, giveTo(BOB), NOW);
      expect(task).toMatchObject({
        status: "pending",
        agentId: "bob",
        agentName: "BOB",
        choice: BOB,
        requestedAgentId: "bob",
        attempt: 1,
        attempts: [],
        startedAt: null,
        lastStepAt: NOW,
      });
      expect(workDueAt(task, null, TIMING, NOW)).toBe(NOW + 500);
    },
  );

  it.each(STARTED)(
    "a task that is $status ($kind) is not given to another agent, and the message says what to do",
    ({ kind, status }) => {
      const task = taskAfter(...commandsTo(kind, status));
      const remedy =
        status === "failed"
          ? "Retry it with reassign, or retry it and change its agent before the new attempt starts."
          : "The attempt has started. Cancel the task, and create a new one for the other agent.";
      expect(decidedFailure(task, giveTo(BOB, { notes: "n" }), NOW)).toEqual({
        kind: "invalid_state",
        action: "given to another agent",
        status: task.status,
        allowed: allowedActions(task.status),
        remedy,
      });
    },
  );

  it.each(["completed", "cancelled"] as const)(
    "a task that is %s is not changed, as with every update",
    (status) => {
      for (const agent of [ADA, BOB]) {
        const task = taskAfter(...commandsTo("worker", status));
        expect(decidedFailure(task, giveTo(agent), NOW)).toMatchObject({
          kind: "invalid_state",
          action: "updated",
          status,
        });
      }
    },
  );

  it.each([...UNSTARTED, ...STARTED])(
    "the agent that a task ($kind, $status) already has changes nothing",
    ({ kind, status }) => {
      const task = taskAfter(...commandsTo(kind, status));
      expect(decidedEvents(task, giveTo(ADA), NOW)).toEqual([]);
    },
  );

  it("an update of other fields does not repeat the agent that the task already has", () => {
    const task = taskAfter(...commandsTo("queued", "assigned"));
    const command = giveTo(ADA, { priority: "low" });
    expect(decidedEvents(task, command, NOW)).toEqual([
      { type: "updated", data: { priority: "low" } },
    ]);
    expect(applyCommand(task, command, NOW).status).toBe("assigned");
  });

  it("all fields of an update change together with the agent, or none does", () => {
    const task = taskAfter(...commandsTo("worker", "assigned"));
    const change = { priority: "urgent", notes: "n", context: { a: 1 }, deadline: NOW + SECOND };
    expect(applyCommand(task, giveTo(BOB, change), NOW)).toMatchObject({
      status: "pending",
      agentId: "bob",
      priority: "urgent",
      notes: "n",
      context: { a: 1 },
      deadline: NOW + SECOND,
    });
    expect(decidedFailure(task, giveTo(BOB, { ...change, deadline: NOW }), NOW)).toMatchObject({
      kind: "validation",
      problems: [{ path: "deadline" }],
    });
  });

  it("a task that waits for any agent goes to the one that a client names", () => {
    const waiting = taskAfter({ type: "create", data: buildCreated({ choice: null }) });
    const task = applyCommand(waiting, giveTo(BOB), NOW);
    expect(task).toMatchObject({ status: "pending", agentId: "bob", leftAgentId: null });
    // No other agent had the task, so nothing is hidden from this one.
    expect(findFirstVisibleSeq({ agentId: "bob", teamId: null }, task)).toBe(0);
  });

  it("a client can name an agent that declined the task, which is then no longer excluded", () => {
    const declined = taskAfter(...commandsTo("unqueued", "assigned"), COMMANDS.decline);
    expect(declined).toMatchObject({ agentId: null, excludedAgentIds: ["ada"] });
    expect(applyCommand(declined, giveTo(ADA), NOW)).toMatchObject({
      agentId: "ada",
      excludedAgentIds: [],
    });
    expect(applyCommand(declined, giveTo(BOB), NOW)).toMatchObject({
      agentId: "bob",
      excludedAgentIds: ["ada"],
    });
  });

  it("the pause after a lost lease and the pauses after releases do not delay the other agent", () => {
    const expired = { ...COMMANDS.expire, jitter: 1 };
    const held = taskAfter(...commandsTo("worker", "in_progress"));
    const lost = applyCommand(held, expired, T0 + 90 * SECOND);
    expect(lost.notBefore).toBeGreaterThan(T0 + 90 * SECOND);
    const at = T0 + 90 * SECOND;
    const task = applyCommand(lost, giveTo(BOB), at);
    expect(task).toMatchObject({ notBefore: null, attempt: 2, automaticRetries: 1 });
    expect(workDueAt(task, null, TIMING, at)).toBe(at + 500);
    const released = taskAfter(...commandsTo("queued", "assigned"), COMMANDS.release);
    expect(released.releaseCount).toBe(1);
    expect(applyCommand(released, giveTo(BOB), NOW).releaseCount).toBe(0);
  });

  it("the other agent gets neither the work nor the lease of the previous agent's worker", () => {
    const saved = { ...COMMANDS.reportReleased, report: { type: "released", reason: null } };
    const working = taskAfter(...commandsTo("worker", "in_progress"));
    const work = { secret: "checkpoint" };
    const left = applyCommand(
      working,
      { ...saved, type: "report", report: { type: "released", reason: null, work } },
      T0 + 10 * SECOND,
    );
    const admitted = applyCommand(left, { ...COMMANDS.admit, grant: GRANT }, T0 + 11 * SECOND);
    const lost = applyCommand(admitted, COMMANDS.expire, T0 + 90 * SECOND);
    expect(lost).toMatchObject({ status: "pending", work });
    const given = applyCommand(lost, giveTo(BOB), T0 + 91 * SECOND);
    expect(given).toMatchObject({ work: {}, lease: null, files: [] });
    const assigned = applyCommand(given, assignTo(BOB, WORKER), T0 + 92 * SECOND);
    expect(assigned.work).toEqual({});
    const late = { ...COMMANDS.reportProgress, token: GRANT.token };
    expect(decidedFailure(assigned, late, T0 + 93 * SECOND).kind).toBe("lease_lost");
  });

  it("a queue's slot for the previous agent is not used", () => {
    const given = applyCommand(taskAfter(...commandsTo("worker", "assigned")), giveTo(BOB), NOW);
    const admit = { ...COMMANDS.admit, grant: GRANT };
    expect(decidedFailure(given, admit, NOW).kind).toBe("invalid_state");
    const assigned = applyCommand(given, assignTo(BOB, WORKER), NOW);
    expect(decidedEvents(assigned, admit, NOW)).toEqual([]);
    expect(decidedEvents(assigned, COMMANDS.release, NOW)).toEqual([]);
    expect(decidedEvents(assigned, { ...admit, agentId: "bob" }, NOW)).toMatchObject([
      { type: "started", data: { agentId: "bob" } },
    ]);
  });
});

describe("an assignment that was decided before a client chose another agent", () => {
  const given = applyCommand(taskAfter(COMMANDS.create), giveTo(BOB), NOW);

  it("the assignment to the previous agent changes nothing", () => {
    expect(decidedEvents(given, COMMANDS.assign, NOW)).toEqual([]);
    expect(decidedFailure(given, COMMANDS.start, NOW).kind).toBe("invalid_state");
    expect(decidedFailure(given, COMMANDS.decline, NOW).kind).toBe("invalid_state");
  });

  it("the assignment to the chosen agent takes effect", () => {
    expect(applyCommand(given, assignTo(BOB, UNQUEUED), NOW)).toMatchObject({
      status: "assigned",
      agentId: "bob",
      terms: UNQUEUED,
    });
  });

  it("a task without an agent can be assigned to any", () => {
    const waiting = taskAfter({ type: "create", data: buildCreated({ choice: null }) });
    expect(applyCommand(waiting, assignTo(EVE, UNQUEUED), NOW).agentId).toBe("eve");
  });
});

describe("the queue of the previous agent", () => {
  const assigned = taskAfter(...commandsTo("worker", "assigned"));
  const given = applyCommand(assigned, giveTo(BOB), NOW);
  const published = {
    agentIds: ["ada"],
    seq: assigned.queueVersion,
    isIn: true,
    overBudget: false,
  };
  const removal = { agentIds: ["ada"], seq: given.seq, isIn: false, overBudget: false };

  it.each<[string, Task]>([
    ["pending", given],
    ["given to a third agent", applyCommand(given, giveTo(EVE), NOW)],
    ["cancelled", applyCommand(given, COMMANDS.cancel, NOW)],
    ["failed", applyCommand(given, COMMANDS.fail, NOW)],
    [
      "retried",
      applyCommand(
        applyCommand(given, COMMANDS.fail, NOW),
        { ...COMMANDS.retry, choice: BOB },
        NOW,
      ),
    ],
  ])("a new instance removes the task from it while the task is %s", (_, task) => {
    const update = pendingQueueUpdate(task, null);
    expect(update).toMatchObject({ seq: task.queueVersion, isIn: false, overBudget: false });
    expect(update?.agentIds).toContain("ada");
    expect(update?.agentIds).not.toContain("eve");
  });

  it("the instance that added the task removes it", () => {
    expect(pendingQueueUpdate(given, published)).toEqual(removal);
    expect(pendingQueueUpdate(given, removal)).toBeNull();
  });

  it("once the task is assigned, only the new agent's queue contains it", () => {
    const again = applyCommand(given, assignTo(BOB, WORKER), NOW);
    const entry = { agentIds: ["bob"], seq: again.seq, isIn: true, overBudget: false };
    expect(pendingQueueUpdate(again, removal)).toEqual(entry);
    expect(pendingQueueUpdate(again, null)).toEqual(entry);
    expect(again.leftAgentId).toBeNull();
  });

  it("a task that was never in a queue is removed from none", () => {
    const unqueued = applyCommand(taskAfter(COMMANDS.create), giveTo(BOB), NOW);
    expect(unqueued.leftAgentId).toBeNull();
    expect(pendingQueueUpdate(unqueued, null)).toBeNull();
  });

  it("a task that returns to the previous agent enters its queue with a newer version", () => {
    const back = applyCommand(given, giveTo(ADA), NOW);
    expect(back).toMatchObject({ agentId: "ada", leftAgentId: "ada", status: "pending" });
    expect(pendingQueueUpdate(back, published)).toEqual({ ...removal, seq: back.seq });
    const again = applyCommand(back, assignTo(ADA, QUEUED), NOW);
    expect(pendingQueueUpdate(again, removal)).toMatchObject({
      agentIds: ["ada"],
      isIn: true,
      seq: again.seq,
    });
    expect(again.seq).toBeGreaterThan(published.seq);
  });

  it("the change of agent affects the queue", () => {
    const event: NewTaskEvent = { type: "updated", data: { choice: BOB } };
    expect(affectsQueue({ ...event, seq: 3, at: NOW })).toBe(true);
    expect(given.queueVersion).toBe(given.seq);
    expect(given.directoryVersion).toBe(given.seq);
  });
});

describe("who sees the change", () => {
  const assigned = taskAfter(...commandsTo("queued", "assigned"));
  const given = applyCommand(assigned, giveTo(BOB), NOW);
  const viewer = (agentId: string | null) => ({ agentId, teamId: null });

  it("a key bound to the new agent sees the log from the change on, and one bound to no agent all of it", () => {
    expect(findFirstVisibleSeq(viewer("bob"), given)).toBe(given.seq);
    expect(findFirstVisibleSeq(viewer(null), given)).toBe(0);
    const back = applyCommand(given, giveTo(ADA), NOW);
    expect(findFirstVisibleSeq(viewer("ada"), back)).toBe(back.seq);
  });

  it.each([
    ["ada", ADA, null],
    ["ada", BOB, { kind: "agent_mismatch", path: "agentId", bound: "agent ada" }],
    [null, BOB, null],
  ])("a key bound to the agent %j may or may not give the task away", (agentId, agent, failure) => {
    expect(checkAgentBinding(viewer(agentId), giveTo(agent))).toEqual(failure);
    expect(checkAgentBinding(viewer(agentId), COMMANDS.update)).toBeNull();
  });

  it("bound keys see the chosen agent in the event, but not the key that chose it", () => {
    const by = { keyId: "k", keyName: "root" };
    const event = { type: "updated", data: { choice: BOB, by }, seq: 3, at: NOW } as const;
    expect(toEventData(event)).toEqual({ choice: BOB, by });
    const { candidates, ...shown } = BOB;
    expect(filterEventData(viewer("bob"), "updated", toEventData(event))).toEqual({
      choice: shown,
    });
    expect(toFeedEvent("t", given, event)).toMatchObject({ agentId: "bob", type: "updated" });
  });
});

it("logs that contain the change fold into the same task event by event", () => {
  const log: NewTaskEvent[] = [
    newEvent("created", buildCreated()),
    newEvent("assigned", { ...ADA, terms: WORKER }),
    newEvent("updated", { choice: BOB, title: "New" }),
    newEvent("assigned", { ...BOB, terms: UNQUEUED }),
    newEvent("started", { agentId: "bob" }),
  ];
  expect(foldEvents(...log)).toMatchObject({
    status: "in_progress",
    agentId: "bob",
    title: "New",
    terms: UNQUEUED,
    assignedSinceSeq: 3,
    leftAgentId: null,
  });
  const before = foldEvents(...log.slice(0, 2));
  const event = { ...newEvent("updated", { choice: BOB }), seq: 3, at: NOW };
  expect(applyEvent(before, event).leftAgentId).toBe("ada");
});
