import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { TaskEvent } from "../../src/domain/events.ts";
import { fold } from "../../src/domain/fold.ts";

/**
 * Logs as releases wrote them, each with the task it told then. They must tell it for ever: a stored
 * log is never migrated. A new release adds files here and changes none.
 */
interface Recording {
  readonly events: readonly TaskEvent[];
  readonly task: object;
}

const FOLDER = join(import.meta.dirname, "logs");
const NAMES = readdirSync(FOLDER).filter((name) => name.endsWith(".json"));

function recording(name: string): Recording {
  return JSON.parse(readFileSync(join(FOLDER, name), "utf8"));
}

describe("a log of an earlier release", () => {
  it.each(NAMES)("%s tells the same task as then", (name) => {
    const { events, task } = recording(name);
    const told: object = fold(events) ?? {};
    // A later release may know more of a task, but nothing else.
    const known = Object.entries(told).filter(([field]) => Object.hasOwn(task, field));
    expect(JSON.parse(JSON.stringify(Object.fromEntries(known)))).toEqual(task);
  });

  it.each(NAMES.filter((name) => !Object.hasOwn(recording(name).task, "terms")))(
    "%s, from before there were other agents than built-in ones, knows nothing of those",
    (name) => {
      expect(fold(recording(name).events)).toMatchObject({
        terms: { executor: "builtin", maxConcurrentTasks: null, requireReview: false },
        automaticRetries: 0,
        notBefore: null,
        openedSeq: 0,
        lease: null,
        files: [],
        tokens: { input: 0, output: 0 },
      });
    },
  );

  it("is there for every type of event and every way to end", () => {
    const events = NAMES.flatMap((name) => recording(name).events);
    expect([...new Set(events.map(({ type }) => type))].toSorted()).toEqual([
      "approved",
      "assigned",
      "blocked",
      "cancelled",
      "changes_requested",
      "completed",
      "created",
      "declined",
      "failed",
      "progressed",
      "rated",
      "responded",
      "resumed",
      "retried",
      "started",
      "submitted",
      "updated",
    ]);
  });
});
