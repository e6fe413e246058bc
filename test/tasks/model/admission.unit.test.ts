import { describe, expect, it } from "vitest";
import type { AgentTerms } from "../../../src/agents/model/agent.ts";
import type { TaskCommand } from "../../../src/tasks/model/command.ts";
import {
  taskAfter,
  BOB,
  buildCreated,
  COMMANDS,
  decidedEvents,
  GRANT,
  MODEL,
  QUEUED,
  QUEUED_COMMANDS_TO,
  SECOND,
  T0,
  applyCommand,
  WORKER,
  WORKER_COMMANDS_TO,
} from "./fixtures.ts";

const LATER = T0 + 30 * SECOND;
const CLAIM: TaskCommand = { ...COMMANDS.admit, grant: GRANT };

function assignedTo(terms: AgentTerms) {
  return taskAfter(COMMANDS.create, { ...COMMANDS.assign, terms });
}

describe("a task that waits for a slot", () => {
  it.each<[string, AgentTerms]>([
    ["an agent that works on two tasks at once", QUEUED],
    ["a model that works on one", { ...MODEL, maxConcurrentTasks: 1 }],
    ["an A2A agent that works on one", { ...MODEL, executor: "a2a", maxConcurrentTasks: 1 }],
  ])("a waiting task starts when %s has a free slot", (_, terms) => {
    expect(decidedEvents(assignedTo(terms), COMMANDS.admit, LATER)).toEqual([
      { type: "started", data: { agentId: "ada" } },
    ]);
  });

  it("a waiting task starts for a worker with a lease", () => {
    expect(decidedEvents(assignedTo(WORKER), CLAIM, LATER)).toEqual([
      { type: "started", data: { agentId: "ada", lease: GRANT } },
    ]);
  });

  it("a task whose agent has a queue does not start outside the queue", () => {
    expect(decidedEvents(assignedTo(QUEUED), COMMANDS.start, LATER)).toEqual([]);
    expect(decidedEvents(assignedTo(WORKER), COMMANDS.start, LATER)).toEqual([]);
  });

  it("a queued task is not started by another agent's queue, or twice by its own", () => {
    const admit = { ...COMMANDS.admit, agentId: "bob" };
    expect(decidedEvents(assignedTo(QUEUED), admit, LATER)).toEqual([]);
    const begun = taskAfter(...QUEUED_COMMANDS_TO.in_progress);
    expect(decidedEvents(begun, COMMANDS.admit, LATER)).toEqual([]);
    const claimed = taskAfter(...WORKER_COMMANDS_TO.in_progress);
    const second = { ...CLAIM, grant: { ...GRANT, token: "lease-2" } };
    expect(decidedEvents(claimed, second, LATER)).toEqual([]);
  });

  it("a task of an agent without a queue ignores admissions", () => {
    const task = taskAfter(COMMANDS.create, COMMANDS.assign);
    expect(decidedEvents(task, COMMANDS.admit, LATER)).toEqual([]);
    expect(decidedEvents(task, CLAIM, LATER)).toEqual([]);
  });
});

describe("a task that people have answered", () => {
  const answered = taskAfter(...QUEUED_COMMANDS_TO.blocked, COMMANDS.respond);
  const sentBack = taskAfter(...WORKER_COMMANDS_TO.review, COMMANDS.requestChanges);

  it("after an answer, the agent resumes where it stopped once it has a slot", () => {
    expect(answered).toMatchObject({ status: "in_progress", workStartSeq: 0 });
    expect(decidedEvents(answered, COMMANDS.admit, LATER)).toEqual([
      { type: "resumed", data: { agentId: "ada" } },
    ]);
    const resumed = applyCommand(answered, COMMANDS.admit, LATER);
    // The task continues with the answer from where it stopped.
    expect(resumed).toMatchObject({
      workStartSeq: resumed.seq,
      lastStepAt: LATER,
      startedAt: answered.startedAt,
      answers: [{ question: "Which year?", response: "2009" }],
    });
  });

  it("after changes are requested, a worker continues with a new lease", () => {
    const grant = { ...GRANT, token: "lease-2", worker: "server" };
    const resumed = applyCommand(sentBack, { ...CLAIM, grant }, LATER);
    expect(resumed).toMatchObject({
      reviewComments: ["Shorter."],
      lease: { ...grant, seq: resumed.seq, expiresAt: LATER + 60 * SECOND },
    });
  });
});

describe("an agent that no longer accepts work", () => {
  it("when an agent is disabled, it releases a task that it has not started, and can get it again later", () => {
    const task = assignedTo(QUEUED);
    expect(decidedEvents(task, COMMANDS.release, LATER)).toEqual([
      {
        type: "declined",
        data: { cause: "taken_back", agentId: "ada", reason: "disabled", excludes: false },
      },
    ]);
    expect(applyCommand(task, COMMANDS.release, LATER)).toMatchObject({
      status: "pending",
      agentId: null,
      excludedAgentIds: [],
    });
    const rejected = applyCommand(assignedTo(QUEUED), COMMANDS.decline, LATER);
    expect(rejected.excludedAgentIds).toEqual(["ada"]);
  });

  it("when an agent is disabled, it releases an answered task, which then starts another attempt", () => {
    const answered = taskAfter(...WORKER_COMMANDS_TO.blocked, COMMANDS.respond);
    const released = applyCommand(answered, COMMANDS.release, LATER);
    expect(released).toMatchObject({
      status: "pending",
      attempt: 2,
      agentId: null,
      choice: null,
      notBefore: LATER,
      // No lease was lost, so the next worker still has all attempts.
      automaticRetries: 0,
    });
    expect(released.attempts).toMatchObject([
      { attempt: 1, agentId: "ada", error: { code: "AGENT_ERROR", message: "disabled" } },
    ]);
  });

  it("a disabled agent finishes its active task and does not release another agent's task", () => {
    expect(
      decidedEvents(taskAfter(...QUEUED_COMMANDS_TO.in_progress), COMMANDS.release, LATER),
    ).toEqual([]);
    const create: TaskCommand = { type: "create", data: buildCreated({ choice: BOB }) };
    const bobs = taskAfter(create, { ...COMMANDS.assign, choice: BOB, terms: QUEUED });
    expect(decidedEvents(bobs, COMMANDS.release, LATER)).toEqual([]);
  });

  it("after a release, an agent that people have replaced stays excluded", () => {
    const task = taskAfter(
      ...QUEUED_COMMANDS_TO.failed,
      { ...COMMANDS.retry, reassign: true, choice: BOB },
      { ...COMMANDS.assign, choice: BOB, terms: QUEUED },
      { ...COMMANDS.admit, agentId: "bob" },
      { ...COMMANDS.block, attempt: 2 },
      COMMANDS.respond,
      { ...COMMANDS.release, agentId: "bob" },
    );
    expect(task).toMatchObject({ status: "pending", attempt: 3, excludedAgentIds: ["ada"] });
  });
});

describe("an agent whose executor has changed", () => {
  const OTHER_KIND = "The agent's executor has changed since the task was assigned.";

  it.each<[string, AgentTerms, TaskCommand]>([
    ["a slot without a lease", WORKER, COMMANDS.admit],
    ["a lease without a worker", QUEUED, CLAIM],
  ])(
    "a task that was assigned before its agent's executor changed, offered %s, is assigned again",
    (_, terms, admit) => {
      expect(decidedEvents(assignedTo(terms), admit, LATER)).toEqual([
        {
          type: "declined",
          data: { cause: "taken_back", agentId: "ada", reason: OTHER_KIND, excludes: false },
        },
      ]);
      const block = terms === WORKER ? COMMANDS.reportBlocked : COMMANDS.block;
      const begin = terms === WORKER ? CLAIM : COMMANDS.admit;
      const answered = [begin, block, COMMANDS.respond].reduce(
        (task, command) => applyCommand(task, command, LATER),
        assignedTo(terms),
      );
      const released = applyCommand(answered, admit, LATER);
      expect(released).toMatchObject({ status: "pending", attempt: 2, agentId: null });
    },
  );
});
