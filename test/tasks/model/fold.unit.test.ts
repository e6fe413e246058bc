import { describe, expect, it } from "vitest";
import { applyEvent, fold } from "../../../src/tasks/model/fold.ts";
import type { TaskEventData, NewTaskEvent } from "../../../src/tasks/model/events.ts";
import { blockOf, type Task } from "../../../src/tasks/model/task.ts";
import {
  ADA,
  AGENT_ERROR,
  BOB,
  choice,
  buildCreated,
  newEvent,
  OUTCOME,
  SECOND,
  T0,
  foldEvents,
} from "./fixtures.ts";
import { withAllFields } from "./all-fields.ts";

const CALL = {
  toolId: "table-analyst",
  capability: "profile",
  cost: 0.25,
  durationMs: 3,
  ok: true,
};

const created = newEvent("created", buildCreated());
const assigned = newEvent("assigned", ADA);
const started = newEvent("started", { agentId: "ada" });
const failed = newEvent("failed", { error: AGENT_ERROR, calls: [] });
const submitted = newEvent("submitted", { ...OUTCOME, calls: [CALL] });

/**
 * Returns the fields changed by the last of these events, except the task's versions and time, and the spend at its last
 * progress, which `no-progress.unit.test.ts` tests.
 */
function change(...events: readonly NewTaskEvent[]): object {
  const before = withAllFields(foldEvents(...events.slice(0, -1)));
  const now = withAllFields(foldEvents(...events));
  const { seq, directoryVersion: _listed, queueVersion: _placed, updatedAt, ...others } = now;
  const { spendAtProgress: _progressed, ...rest } = others;
  expect(seq).toBe(events.length);
  expect(updatedAt).toBe(T0 + (events.length - 1) * SECOND);
  const changed = Object.entries(rest).filter(
    ([key, value]) => JSON.stringify(value) !== JSON.stringify(before[key as keyof typeof before]),
  );
  return Object.fromEntries(changed);
}

describe("the changes of each event", () => {
  it("a created event sets every field of a new task", () => {
    const deadline = T0 + 60 * SECOND;
    const data = buildCreated({ teamId: "insights", deadline, context: { csv: "a\n1" } });
    expect(foldEvents(newEvent("created", data))).toEqual({
      seq: 1,
      directoryVersion: 1,
      bytesSinceDirectoryVersion: 0,
      status: "pending",
      task: "Compare the penguins",
      title: null,
      labels: null,
      externalId: null,
      agentId: "ada",
      agentName: "ADA",
      choice: ADA,
      terms: { executor: "builtin", maxConcurrentTasks: null, requireReview: false },
      teamId: "insights",
      priority: "medium",
      deadline,
      deliverableTypes: ["summary"],
      context: { csv: "a\n1" },
      budget: null,
      estimatedCompletion: T0 + 5 * SECOND,
      estimatedDurationMs: 5 * SECOND,
      createdBy: "root",
      fingerprint: "f",
      shard: 0,
      contextId: null,
      createdAt: T0,
      attempt: 1,
      attempts: [],
      excusedAttempts: [],
      automaticRetries: 0,
      notBefore: null,
      excludedAgentIds: [],
      queueVersion: 1,
      lease: null,
      lastStepAt: T0,
      startedAt: null,
      workedMs: 0,
      updatedAt: T0,
      progress: 0,
      currentPhase: null,
      work: {},
      spend: { cost: 0, toolCalls: 0 },
      spendAtProgress: { cost: 0, toolCalls: 0, seq: 1 },
      isHeld: false,
      paidAgentIds: [],
      dayCosts: [],
      requestedAgentId: "ada",
      lastAgentId: "ada",
      assignedSinceSeq: 0,
      leftAgentId: null,
      releaseCount: 0,
      tokens: { input: 0, output: 0 },
      files: [],
      fileBytes: 0,
      answers: [],
      approvals: [],
      round: 0,
      reviewComments: [],
      notes: null,
    } satisfies Task);
  });

  it("an assigned event sets the status, the agent and the agent's settings", () => {
    const waiting = newEvent("created", buildCreated({ choice: null }));
    const expected = {
      status: "assigned",
      agentId: "bob",
      agentName: "BOB",
      lastAgentId: "bob",
      choice: BOB,
      lastStepAt: T0 + SECOND,
    };
    expect(change(waiting, newEvent("assigned", BOB))).toEqual(expected);
    const terms = { executor: "worker", maxConcurrentTasks: 3, requireReview: true } as const;
    expect(change(waiting, newEvent("assigned", { ...BOB, terms }))).toEqual({
      ...expected,
      terms,
    });
  });

  it("a declined event clears the agent and excludes it", () => {
    const declined = newEvent("declined", { agentId: "ada", reason: "not enabled" });
    expect(change(created, assigned, declined)).toEqual({
      status: "pending",
      agentId: null,
      agentName: null,
      choice: null,
      excludedAgentIds: ["ada"],
      lastStepAt: T0 + 2 * SECOND,
    });
  });

  it("a started event starts the work and its timing", () => {
    expect(change(created, assigned, started)).toEqual({
      status: "in_progress",
      workStartSeq: 3,
      startedAt: T0 + 2 * SECOND,
      workingSince: T0 + 2 * SECOND,
      currentPhase: "planning",
      lastStepAt: T0 + 2 * SECOND,
    });
  });

  it("a progressed event changes progress, work and spend, but not the directory version", () => {
    const step = (progress: number, work: TaskEventData["progressed"]["work"]) =>
      newEvent("progressed", { progress, phase: "analysing", calls: [CALL], work });
    const log = [created, assigned, started, step(20, { a: 1, b: 1 }), step(40, { b: 2 })];
    expect(change(...log)).toEqual({
      progress: 40,
      work: { a: 1, b: 2 },
      spend: { cost: 0.5, toolCalls: 2 },
      lastStepAt: T0 + 4 * SECOND,
    });
    expect(foldEvents(...log).directoryVersion).toBe(3);
  });

  it("a blocked event pauses the work with a question, and a responded event continues it with the answer", () => {
    const data = { question: "Which year?", calls: [CALL], work: { seen: true } };
    const blocked = newEvent("blocked", { kind: "input", ...data });
    const since = T0 + 3 * SECOND;
    expect(change(created, assigned, started, blocked)).toEqual({
      status: "blocked",
      workStartSeq: 0,
      blocked: { seq: 4, kind: "input", question: "Which year?", since },
      work: { seen: true },
      spend: { cost: 0.25, toolCalls: 1 },
      workedMs: SECOND,
      workingSince: null,
      lastStepAt: since,
    });
    const responded = newEvent("responded", { response: { year: 2009 } });
    expect(change(created, assigned, started, blocked, responded)).toEqual({
      status: "in_progress",
      workStartSeq: 5,
      blocked: null,
      answers: [{ question: "Which year?", response: { year: 2009 } }],
      workingSince: T0 + 4 * SECOND,
      lastStepAt: T0 + 4 * SECOND,
    });
  });

  it.each([
    ["input", { maxToolCalls: 1 }],
    ["budget", { maxToolCalls: 9 }],
  ] as const)(
    "a response raises the budget only for a question about the budget: %s",
    (kind, budget) => {
      const limited = newEvent("created", buildCreated({ budget: { maxToolCalls: 1 } }));
      const blocked = newEvent("blocked", { kind, question: "More?", calls: [], work: {} });
      const responded = newEvent("responded", { response: { maxToolCalls: 9 } });
      expect(foldEvents(limited, assigned, started, blocked, responded).budget).toEqual(budget);
    },
  );

  it("a submitted event starts a review round, and changes_requested resumes the work with the comment", () => {
    expect(change(created, assigned, started, submitted)).toEqual({
      status: "review",
      workStartSeq: 0,
      outcome: OUTCOME,
      fileBytes: 12,
      spend: { cost: 0.25, toolCalls: 1 },
      round: 1,
      workedMs: SECOND,
      workingSince: null,
      lastStepAt: T0 + 3 * SECOND,
    });
    const back = newEvent("changes_requested", { comment: "Shorter." });
    expect(change(created, assigned, started, submitted, back)).toEqual({
      status: "in_progress",
      workStartSeq: 5,
      currentPhase: "drafting",
      outcome: null,
      reviewComments: ["Shorter."],
      workingSince: T0 + 4 * SECOND,
      lastStepAt: T0 + 4 * SECOND,
    });
    const silent = newEvent("changes_requested", { comment: null });
    expect(foldEvents(created, assigned, started, submitted, silent).reviewComments).toEqual([]);
    expect(foldEvents(created, assigned, started, submitted, back, submitted).round).toBe(2);
  });

  it("an approved event changes no field, and a completed event ends the task", () => {
    const approved = newEvent("approved", { comment: null });
    const completed = newEvent("completed", { ...OUTCOME, calls: [] });
    expect(change(created, assigned, started, submitted, approved)).toEqual({});
    expect(change(created, assigned, started, submitted, approved, completed)).toEqual({
      status: "completed",
      progress: 100,
      endedAt: T0 + 5 * SECOND,
    });
  });

  it.each([
    ["failed", failed, { status: "failed", error: AGENT_ERROR }],
    [
      "cancelled",
      newEvent("cancelled", { reason: "No need." }),
      { status: "cancelled", cancelReason: "No need." },
    ],
  ])("a %s event clears the outcome or question that was open", (_, end, expected) => {
    expect(change(created, assigned, started, submitted, end)).toEqual({
      ...expected,
      outcome: null,
      endedAt: T0 + 4 * SECOND,
    });
    const blocked = newEvent("blocked", { kind: "input", question: "?", calls: [], work: {} });
    expect(blockOf(foldEvents(created, assigned, started, blocked, end))).toBeNull();
  });

  it("an updated event changes the priority, deadline, notes and context", () => {
    const update = (data: TaskEventData["updated"]) => newEvent("updated", data);
    const first = update({ priority: "urgent", deadline: T0 + 1, notes: "one" });
    expect(change(created, first)).toEqual({
      priority: "urgent",
      deadline: T0 + 1,
      notes: "one",
    });
    expect(change(created, first, update({ notes: "two" }))).toEqual({ notes: "one\ntwo" });
    expect(change(created, update({ context: { a: 1 } }))).toEqual({ context: { a: 1 } });
  });

  it("a rated event sets the feedback and replaces earlier feedback", () => {
    const rated = newEvent("rated", { rating: 4, issues: ["slow"] });
    const completed = newEvent("completed", { ...OUTCOME, calls: [] });
    const log = [created, assigned, started, completed, rated];
    expect(change(...log)).toEqual({ feedback: { rating: 4, issues: ["slow"] } });
    expect(change(...log, newEvent("rated", { rating: 2 }))).toEqual({ feedback: { rating: 2 } });
  });
});

describe("a retried event", () => {
  const retried = (attempt: number, reassign: boolean, agent: string) =>
    newEvent("retried", { attempt, reassign, choice: choice(agent), context: { year: 2009 } });
  const step = newEvent("progressed", {
    progress: 40,
    phase: "analysing",
    calls: [CALL],
    work: { a: 1 },
  });
  const first = [created, assigned, started, step, failed];

  it("a retried event starts over and keeps the earlier attempt and its spend", () => {
    const task = foldEvents(...first, retried(2, false, "ada"));
    expect(withAllFields(task)).toMatchObject({
      status: "pending",
      attempt: 2,
      progress: 0,
      currentPhase: null,
      startedAt: null,
      endedAt: null,
      error: null,
      work: {},
      answers: [],
      excludedAgentIds: [],
      context: { year: 2009 },
      spend: { cost: 0.25, toolCalls: 1 },
    });
    expect(task.attempts).toEqual([
      {
        attempt: 1,
        agentId: "ada",
        agentName: "ADA",
        error: AGENT_ERROR,
        startedAt: T0 + 2 * SECOND,
        failedAt: T0 + 4 * SECOND,
      },
    ]);
  });

  it("a retried event that reassigns excludes every earlier agent", () => {
    const second = [...first, retried(2, true, "bob"), failed];
    expect(foldEvents(...second, retried(3, true, "cleo")).excludedAgentIds).toEqual([
      "ada",
      "bob",
    ]);
    expect(foldEvents(...second, retried(3, false, "bob")).excludedAgentIds).toEqual([]);
  });
});

it("an empty log folds into no task, and a log that does not start with created throws an error", () => {
  expect(fold([])).toBeNull();
  expect(() => applyEvent(null, { ...started, seq: 1, at: T0 })).toThrow('begin with "created"');
});
