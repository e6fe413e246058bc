import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { EXECUTOR_TYPES, type ExecutorType } from "../../../src/agents/model/agent.ts";
import {
  TASK_EVENT_TYPES,
  type TaskEventType,
  type TaskEvent,
} from "../../../src/tasks/model/events.ts";
import { fold } from "../../../src/tasks/model/fold.ts";
import { withAllFields } from "./all-fields.ts";

/**
 * Logs from earlier releases, with the tasks that they folded into. They must still fold into the
 * same tasks, because stored logs are never migrated. A new release adds files here and changes
 * none.
 */
interface Recording {
  readonly events: readonly TaskEvent[];
  readonly task: object;
}

const FOLDER = join(import.meta.dirname, "logs");
const NAMES = readdirSync(FOLDER).filter((name) => name.endsWith(".json"));

/**
 * Logs read from the tables of a running service, in the format that the current version writes.
 */
const SERVICE = NAMES.filter((name) => name.includes("-service-")).map(
  (name) => recording(name).events,
);
const EVENT_SEQUENCE: readonly TaskEventType[] = [
  "assigned",
  "started",
  "progressed",
  "blocked",
  "responded",
  "submitted",
  "failed",
  "updated",
  "retried",
  "approved",
  "completed",
  "rated",
];
/** Some fields that every task has had since the first release. */
const OLDEST_TASK = {
  status: expect.any(String),
  attempt: expect.any(Number),
  attempts: expect.any(Array),
  progress: expect.any(Number),
  context: expect.any(Object),
  spend: expect.any(Object),
  createdAt: expect.any(Number),
  updatedAt: expect.any(Number),
};

/**
 * Fields of the folded task that had different names when the logs were recorded. These names are
 * not stored.
 */
const RENAMED_FIELDS = new Map([
  ["agentSince", "assignedSinceSeq"],
  ["listedSeq", "directoryVersion"],
  ["openedSeq", "workStartSeq"],
  ["placedSeq", "queueVersion"],
  ["releases", "releaseCount"],
  ["steppedAt", "lastStepAt"],
  ["unlistedBytes", "bytesSinceDirectoryVersion"],
]);

function recording(name: string): Recording {
  return JSON.parse(readFileSync(join(FOLDER, name), "utf8"));
}

/** Folds events into a task with the fields of every status, as earlier releases recorded tasks. */
function foldAllFields(events: readonly TaskEvent[]): object {
  const task = fold(events);
  return task === null ? {} : withAllFields(task);
}

describe("a log of an earlier release", () => {
  it.each(NAMES)("the recorded log %s folds into the same task as in its release", (name) => {
    const { events, task } = recording(name);
    const folded: object = foldAllFields(events);
    const recorded = Object.fromEntries(
      Object.entries(task).map(([field, value]) => [RENAMED_FIELDS.get(field) ?? field, value]),
    );
    // A later release may add fields to a task but must not change existing ones.
    const known = Object.entries(folded).filter(([field]) => Object.hasOwn(recorded, field));
    expect(JSON.parse(JSON.stringify(Object.fromEntries(known)))).toEqual(recorded);
  });

  it.each(NAMES.filter((name) => !Object.hasOwn(recording(name).task, "terms")))(
    "%s, which predates other executors, folds into a task with the defaults of a built-in agent",
    (name) => {
      expect(foldAllFields(recording(name).events)).toMatchObject({
        terms: { executor: "builtin", maxConcurrentTasks: null, requireReview: false },
        automaticRetries: 0,
        notBefore: null,
        workStartSeq: 0,
        lease: null,
        files: [],
        tokens: { input: 0, output: 0 },
      });
    },
  );

  it.each(NAMES)("the recorded log %s is complete and ends in the recorded state", (name) => {
    const { events, task } = recording(name);
    expect(events.map(({ seq }) => seq)).toEqual(events.map((_, index) => index + 1));
    expect(task).toMatchObject({ ...OLDEST_TASK, seq: events.length });
  });

  it("the recorded logs include every type of event", () => {
    expect(typesIn(SERVICE)).toEqual([...TASK_EVENT_TYPES].toSorted());
  });

  it.each(EXECUTOR_TYPES)(
    "the recorded logs include the work of a %s agent, from its assignment to a rating",
    (executor) => {
      const logs = SERVICE.filter((events) => termsIn(events).some((terms) => terms === executor));
      const types = logs.flatMap((events) => events.map(({ type }) => type));
      for (const type of EVENT_SEQUENCE) expect(types).toContain(type);
    },
  );

  it("the recorded logs include the optional parts of events", () => {
    const seen = new Set(SERVICE.flatMap((events) => events.flatMap(carried)));
    expect([...seen].toSorted()).toEqual([
      "blocked: approval",
      "blocked: budget",
      "blocked: input",
      "completed: file in the log",
      "created: shard",
      "declined: may get it again",
      "declined: returned by its worker",
      "error: AGENT_ERROR",
      "error: LEASE_EXPIRED",
      "error: NO_AGENT_AVAILABLE",
      "error: REVIEW_REJECTED",
      "progressed: file",
      "progressed: outside",
      "resumed: lease",
      "retried by itself: AGENT_ERROR",
      "retried by itself: LEASE_EXPIRED",
      "started: lease",
      "use of a model",
    ]);
  });
});

function typesIn(logs: readonly (readonly TaskEvent[])[]): TaskEventType[] {
  return [...new Set(logs.flatMap((events) => events.map(({ type }) => type)))].toSorted();
}

function termsIn(events: readonly TaskEvent[]): (ExecutorType | undefined)[] {
  return events.flatMap((event) => (event.type === "assigned" ? [event.data.terms?.executor] : []));
}

/** Returns the optional content of an event. */
function carried(event: TaskEvent): string[] {
  const use = "use" in event.data ? ["use of a model"] : [];
  switch (event.type) {
    case "blocked":
      return [...use, `blocked: ${event.data.kind}`];
    case "completed": {
      const isHeld = event.data.deliverables.some(({ heldAt }) => heldAt !== undefined);
      return [...use, ...(isHeld ? ["completed: file in the log"] : [])];
    }
    case "created":
      return event.data.shard === undefined ? [] : ["created: shard"];
    case "declined":
      if (event.data.released === true) return ["declined: returned by its worker"];
      return event.data.excludes === false ? ["declined: may get it again"] : [];
    case "failed":
      return [...use, `error: ${event.data.error.code}`];
    case "progressed": {
      const { file, outside } = event.data;
      const handedIn = file === undefined ? [] : ["progressed: file"];
      return [...use, ...handedIn, ...(outside === undefined ? [] : ["progressed: outside"])];
    }
    case "started":
    case "resumed":
      return event.data.lease === undefined ? [] : [`${event.type}: lease`];
    case "retried": {
      const { automatic } = event.data;
      return automatic === undefined ? [] : [`retried by itself: ${automatic.error.code}`];
    }
    default:
      return use;
  }
}
