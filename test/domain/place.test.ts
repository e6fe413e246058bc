import { describe, expect, it } from "vitest";
import { type AgentTerms, hasQueue, isExternalExecutor } from "../../src/agents/model/agent.ts";
import type { TaskEventData, TaskEventType, NewTaskEvent } from "../../src/tasks/model/events.ts";
import { affectsQueue, isActive, slotOf, type TaskSlot } from "../../src/tasks/model/slot.ts";
import {
  ADA,
  AGENT_ERROR,
  after,
  createdWith,
  event,
  MODEL,
  OUTCOME,
  QUEUED,
  told,
  UNQUEUED,
  WORKER,
} from "./play.ts";
import { KINDS, standingsOf, wayTo, type Standing } from "./table.ts";

describe("an agent's tasks wait in a queue", () => {
  it.each<[string, AgentTerms, boolean]>([
    ["when its places are counted", QUEUED, true],
    ["when its places are counted, wherever it works", { ...MODEL, maxConcurrentTasks: 1 }, true],
    ["when workers come for them", WORKER, true],
    ["when workers come for them and are counted", { ...WORKER, maxConcurrentTasks: 3 }, true],
    ["and otherwise not", UNQUEUED, false],
    ["not for being a model's", MODEL, false],
    ["not for being reviewed", { ...UNQUEUED, requireReview: true }, false],
  ])("%s", (_, terms, has) => {
    expect(hasQueue(terms)).toBe(has);
  });

  it("models and A2A agents wait for systems elsewhere, and nobody else", () => {
    const executors = ["builtin", "model", "a2a", "worker"] as const;
    expect(executors.filter(isExternalExecutor)).toEqual(["model", "a2a"]);
  });
});

/** What each standing means to a queue; `assigned` only waits where there is one. */
const PLACES: Partial<Record<Standing, TaskSlot>> = {
  assigned: "queued",
  queued: "queued",
  in_progress: "active",
};

describe("a task's place", () => {
  it.each(KINDS.flatMap((kind) => standingsOf(kind).map((standing) => ({ kind, standing }))))(
    "of a task that is $standing ($kind)",
    ({ kind, standing }) => {
      const task = after(...wayTo(kind, standing));
      expect(slotOf(task)).toBe(kind === "unqueued" ? "none" : (PLACES[standing] ?? "none"));
      expect(isActive(task)).toBe(standing === "in_progress");
    },
  );

  it("is held by a task that is pending again as little as by a new one", () => {
    const answered = wayTo("queued", "queued");
    const released = { type: "release", agentId: "ada", reason: "disabled" } as const;
    expect(slotOf(after(...answered, released))).toBe("none");
  });
});

const opening = { agentId: "ada" };
const outcome = { ...OUTCOME, calls: [] };
const step = { progress: 1, phase: "reading", calls: [], work: {} };

const EVENTS: { readonly [Type in TaskEventType]: Extract<NewTaskEvent, { type: Type }> } = {
  created: event("created", createdWith()),
  assigned: event("assigned", ADA),
  declined: event("declined", { agentId: "ada", reason: "no" }),
  started: event("started", opening),
  resumed: event("resumed", opening),
  progressed: event("progressed", step),
  blocked: event("blocked", { kind: "input", question: "?", calls: [], work: {} }),
  responded: event("responded", { response: null }),
  submitted: event("submitted", outcome),
  approved: event("approved", { comment: null }),
  changes_requested: event("changes_requested", { comment: null }),
  completed: event("completed", outcome),
  failed: event("failed", { error: AGENT_ERROR, calls: [] }),
  cancelled: event("cancelled", { reason: null }),
  retried: event("retried", { attempt: 2, reassign: false, choice: null, context: null }),
  updated: event("updated", { notes: "n" }),
  rated: event("rated", { rating: 3 }),
};

describe("the queue hears", () => {
  it("of everything but what concerns the work, its worth, or the words about it", () => {
    const unheard = Object.values(EVENTS).filter((one) => !affectsQueue({ ...one, seq: 2, at: 0 }));
    const types = unheard.map(({ type }) => type);
    expect(types).toEqual(["progressed", "approved", "updated", "rated"]);
  });

  it.each<[TaskEventData["updated"], boolean]>([
    [{ priority: "urgent" }, true],
    [{ deadline: 1 }, true],
    [{ context: { a: 1 } }, false],
    [{ notes: "n" }, false],
    [{ notes: "n", priority: "low" }, true],
  ])("of the change %j: %j", (change, heard) => {
    expect(affectsQueue({ type: "updated", data: change, seq: 2, at: 0 })).toBe(heard);
  });

  it("by a version that stays where nothing of that changed", () => {
    const log: NewTaskEvent[] = [
      event("created", createdWith()),
      event("assigned", { ...ADA, terms: WORKER }),
      event("progressed", { ...step, outside: true }),
      event("updated", { notes: "n" }),
    ];
    expect(told(...log).queueVersion).toBe(2);
    expect(told(...log, event("updated", { priority: "urgent" })).queueVersion).toBe(5);
  });
});
