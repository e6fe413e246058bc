import { describe, expect, it } from "vitest";
import { type AgentTerms, hasQueue, isExternalExecutor } from "../../../src/agents/model/agent.ts";
import type {
  TaskEventData,
  TaskEventType,
  NewTaskEvent,
} from "../../../src/tasks/model/events.ts";
import { affectsQueue } from "../../../src/tasks/model/fold.ts";
import { isActive, slotOf, type TaskSlot } from "../../../src/tasks/model/task.ts";
import {
  ADA,
  AGENT_ERROR,
  taskAfter,
  buildCreated,
  newEvent,
  MODEL,
  OUTCOME,
  QUEUED,
  foldEvents,
  UNQUEUED,
  WORKER,
} from "./fixtures.ts";
import {
  AGENT_KINDS,
  effectiveStatusesOf,
  commandsTo,
  type EffectiveStatus,
} from "./transition-table.ts";

describe("an agent's queue", () => {
  it.each<[string, AgentTerms, boolean]>([
    ["a built-in agent with limited slots", QUEUED, true],
    ["a model with limited slots", { ...MODEL, maxConcurrentTasks: 1 }, true],
    ["a worker without a limit", WORKER, true],
    ["a worker with limited slots", { ...WORKER, maxConcurrentTasks: 3 }, true],
    ["a built-in agent without a limit", UNQUEUED, false],
    ["a model without a limit", MODEL, false],
    ["a built-in agent whose work is reviewed", { ...UNQUEUED, requireReview: true }, false],
  ])(
    "an agent has a queue only if its slots are limited or workers claim its tasks: %s",
    (_, terms, has) => {
      expect(hasQueue(terms)).toBe(has);
    },
  );

  it("only models and A2A agents wait for external systems", () => {
    const executors = ["builtin", "model", "a2a", "worker"] as const;
    expect(executors.filter(isExternalExecutor)).toEqual(["model", "a2a"]);
  });
});

/**
 * The slot in each effective status. An assigned task waits for one only if its agent has a queue.
 */
const PLACES: Partial<Record<EffectiveStatus, TaskSlot>> = {
  assigned: "queued",
  queued: "queued",
  in_progress: "active",
};

describe("a task's slot", () => {
  it.each(
    AGENT_KINDS.flatMap((kind) => effectiveStatusesOf(kind).map((status) => ({ kind, status }))),
  )(
    "a task that is $status ($kind) has the slot that its status determines",
    ({ kind, status }) => {
      const task = taskAfter(...commandsTo(kind, status));
      expect(slotOf(task)).toBe(kind === "unqueued" ? "none" : (PLACES[status] ?? "none"));
      expect(isActive(task)).toBe(status === "in_progress");
    },
  );

  it("a task that is pending again holds no slot, like a new task", () => {
    const answered = commandsTo("queued", "queued");
    const released = { type: "release", agentId: "ada", reason: "disabled" } as const;
    expect(slotOf(taskAfter(...answered, released))).toBe("none");
  });
});

const opening = { agentId: "ada" };
const outcome = { ...OUTCOME, calls: [] };
const step = { progress: 1, phase: "reading", calls: [], work: {} };

const EVENTS: { readonly [Type in TaskEventType]: Extract<NewTaskEvent, { type: Type }> } = {
  created: newEvent("created", buildCreated()),
  assigned: newEvent("assigned", ADA),
  declined: newEvent("declined", { agentId: "ada", reason: "no" }),
  started: newEvent("started", opening),
  resumed: newEvent("resumed", opening),
  progressed: newEvent("progressed", step),
  blocked: newEvent("blocked", { kind: "input", question: "?", calls: [], work: {} }),
  call_stored: newEvent("call_stored", {
    approvalId: "a",
    toolId: "t",
    capability: "c",
    sha256: "0",
  }),
  call_settled: newEvent("call_settled", {
    approvalId: "a",
    status: "denied",
    message: "No.",
  }),
  responded: newEvent("responded", { response: null }),
  submitted: newEvent("submitted", outcome),
  approved: newEvent("approved", { comment: null }),
  changes_requested: newEvent("changes_requested", { comment: null }),
  completed: newEvent("completed", outcome),
  failed: newEvent("failed", { error: AGENT_ERROR, calls: [] }),
  cancelled: newEvent("cancelled", { reason: null }),
  retried: newEvent("retried", { attempt: 2, reassign: false, choice: null, context: null }),
  updated: newEvent("updated", { notes: "n" }),
  rated: newEvent("rated", { rating: 3 }),
};

describe("events that affect the queue", () => {
  it("every event affects the queue except progressed, call_stored, approved, rated, and a change to the notes", () => {
    const unheard = Object.values(EVENTS).filter((one) => !affectsQueue({ ...one, seq: 2, at: 0 }));
    const types = unheard.map(({ type }) => type);
    expect(types).toEqual(["progressed", "call_stored", "approved", "updated", "rated"]);
  });

  it.each<[TaskEventData["updated"], boolean]>([
    [{ priority: "urgent" }, true],
    [{ deadline: 1 }, true],
    [{ context: { a: 1 } }, false],
    [{ notes: "n" }, false],
    [{ notes: "n", priority: "low" }, true],
  ])("the change %j affects the queue: %j", (change, affects) => {
    expect(affectsQueue({ type: "updated", data: change, seq: 2, at: 0 })).toBe(affects);
  });

  it("the queue version changes only with events that affect the queue", () => {
    const log: NewTaskEvent[] = [
      newEvent("created", buildCreated()),
      newEvent("assigned", { ...ADA, terms: WORKER }),
      newEvent("progressed", { ...step, outside: true }),
      newEvent("updated", { notes: "n" }),
    ];
    expect(foldEvents(...log).queueVersion).toBe(2);
    expect(foldEvents(...log, newEvent("updated", { priority: "urgent" })).queueVersion).toBe(5);
  });
});
