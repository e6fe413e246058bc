import { describe, expect, it } from "vitest";
import type { AgentTerms } from "../../src/agents/model/agent.ts";
import type { TaskCommand } from "../../src/tasks/model/command.ts";
import {
  after,
  BOB,
  COMMANDS,
  eventsOf,
  GRANT,
  MODEL,
  QUEUED,
  QUEUED_WAY_TO,
  SECOND,
  T0,
  next,
  WORKER,
  WORKER_WAY_TO,
} from "./play.ts";

const LATER = T0 + 30 * SECOND;
const CLAIM: TaskCommand = { ...COMMANDS.admit, grant: GRANT };

function assignedTo(terms: AgentTerms) {
  return after(COMMANDS.create, { ...COMMANDS.assign, terms });
}

describe("a task that waits for a place", () => {
  it.each<[string, AgentTerms]>([
    ["an agent that works on two tasks at once", QUEUED],
    ["a model that works on one", { ...MODEL, maxConcurrentTasks: 1 }],
    ["an A2A agent that works on one", { ...MODEL, executor: "a2a", maxConcurrentTasks: 1 }],
  ])("begins when %s has one", (_, terms) => {
    expect(eventsOf(assignedTo(terms), COMMANDS.admit, LATER)).toEqual([
      { type: "started", data: { agentId: "ada" } },
    ]);
  });

  it("begins for a worker with a lease", () => {
    expect(eventsOf(assignedTo(WORKER), CLAIM, LATER)).toEqual([
      { type: "started", data: { agentId: "ada", lease: GRANT } },
    ]);
  });

  it("is not started past the queue", () => {
    expect(eventsOf(assignedTo(QUEUED), COMMANDS.start, LATER)).toEqual([]);
    expect(eventsOf(assignedTo(WORKER), COMMANDS.start, LATER)).toEqual([]);
  });

  it("is not begun by another agent's queue, nor twice by its own", () => {
    const admit = { ...COMMANDS.admit, agentId: "bob" };
    expect(eventsOf(assignedTo(QUEUED), admit, LATER)).toEqual([]);
    const begun = after(...QUEUED_WAY_TO.in_progress);
    expect(eventsOf(begun, COMMANDS.admit, LATER)).toEqual([]);
    const claimed = after(...WORKER_WAY_TO.in_progress);
    const second = { ...CLAIM, grant: { ...GRANT, token: "lease-2" } };
    expect(eventsOf(claimed, second, LATER)).toEqual([]);
  });

  it("waits in no queue when its agent has none", () => {
    const task = after(COMMANDS.create, COMMANDS.assign);
    expect(eventsOf(task, COMMANDS.admit, LATER)).toEqual([]);
    expect(eventsOf(task, CLAIM, LATER)).toEqual([]);
  });
});

describe("after people have answered", () => {
  const answered = after(...QUEUED_WAY_TO.blocked, COMMANDS.respond);
  const sentBack = after(...WORKER_WAY_TO.review, COMMANDS.requestChanges);

  it("the agent goes on when it has a place again", () => {
    expect(answered).toMatchObject({ status: "in_progress", workStartSeq: 0 });
    expect(eventsOf(answered, COMMANDS.admit, LATER)).toEqual([
      { type: "resumed", data: { agentId: "ada" } },
    ]);
    const resumed = next(answered, COMMANDS.admit, LATER);
    // Where it stopped, with what it has been told since.
    expect(resumed).toMatchObject({
      workStartSeq: resumed.seq,
      lastStepAt: LATER,
      startedAt: answered.startedAt,
      answers: [{ question: "Which year?", response: "2009" }],
    });
  });

  it("a worker goes on with a lease of its own", () => {
    const grant = { ...GRANT, token: "lease-2", worker: "server" };
    const resumed = next(sentBack, { ...CLAIM, grant }, LATER);
    expect(resumed).toMatchObject({
      reviewComments: ["Shorter."],
      lease: { ...grant, seq: resumed.seq, expiresAt: LATER + 60 * SECOND },
    });
  });
});

describe("an agent that takes no more work", () => {
  it("gives back what it has not begun, and may get it again another time", () => {
    const task = assignedTo(QUEUED);
    expect(eventsOf(task, COMMANDS.release, LATER)).toEqual([
      {
        type: "declined",
        data: { cause: "taken_back", agentId: "ada", reason: "disabled", excludes: false },
      },
    ]);
    expect(next(task, COMMANDS.release, LATER)).toMatchObject({
      status: "pending",
      agentId: null,
      excludedAgentIds: [],
    });
    const refused = next(assignedTo(QUEUED), COMMANDS.decline, LATER);
    expect(refused.excludedAgentIds).toEqual(["ada"]);
  });

  it("gives back what it had begun and would go on with: somebody else begins anew", () => {
    const answered = after(...WORKER_WAY_TO.blocked, COMMANDS.respond);
    const released = next(answered, COMMANDS.release, LATER);
    expect(released).toMatchObject({
      status: "pending",
      attempt: 2,
      agentId: null,
      choice: null,
      notBefore: LATER,
      // No lease was lost, so those who get it next have all their attempts.
      automaticRetries: 0,
    });
    expect(released.attempts).toMatchObject([
      { attempt: 1, agentId: "ada", error: { code: "AGENT_ERROR", message: "disabled" } },
    ]);
  });

  it("finishes what it is at, and leaves alone what is another's", () => {
    expect(eventsOf(after(...QUEUED_WAY_TO.in_progress), COMMANDS.release, LATER)).toEqual([]);
    const bobs = after(COMMANDS.create, { ...COMMANDS.assign, choice: BOB, terms: QUEUED });
    expect(eventsOf(bobs, COMMANDS.release, LATER)).toEqual([]);
  });

  it("does not bring back an agent from whom people took the task", () => {
    const task = after(
      ...QUEUED_WAY_TO.failed,
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

describe("an agent that has become one of another kind", () => {
  const OTHER_KIND = "The agent works in another way than when the task was assigned to it.";

  it.each<[string, AgentTerms, TaskCommand]>([
    ["a place, but no lease", WORKER, COMMANDS.admit],
    ["a lease that it does not know how to keep", QUEUED, CLAIM],
  ])(
    "takes up nothing that was assigned to it before: offered %s, it is assigned anew",
    (_, terms, admit) => {
      expect(eventsOf(assignedTo(terms), admit, LATER)).toEqual([
        {
          type: "declined",
          data: { cause: "taken_back", agentId: "ada", reason: OTHER_KIND, excludes: false },
        },
      ]);
      const block = terms === WORKER ? COMMANDS.reportBlocked : COMMANDS.block;
      const begin = terms === WORKER ? CLAIM : COMMANDS.admit;
      const answered = [begin, block, COMMANDS.respond].reduce(
        (task, command) => next(task, command, LATER),
        assignedTo(terms),
      );
      const released = next(answered, admit, LATER);
      expect(released).toMatchObject({ status: "pending", attempt: 2, agentId: null });
    },
  );
});
