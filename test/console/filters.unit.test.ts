import { describe, expect, it } from "vitest";
import {
  nextTitleSort,
  PRIORITIES,
  readTaskFilters,
  STATUSES,
  statusesOf,
  type TaskFilters,
} from "../../console/src/tasks/filters.ts";
import { Rng } from "../support/rng.ts";

const CASES = 2_000;
const TEXTS = ["", "a", "data-analyst", "team:blue", "<b>", "1", "true", "\u202E", " x "];

describe("the filters of the task list", () => {
  it("a URL that was made from filters is read as the same filters", () => {
    const rng = new Rng(20_261_127);
    for (let n = 0; n < CASES; n += 1) {
      const statuses = STATUSES.filter(() => rng.oneIn(3));
      const filters: TaskFilters = {
        ...(statuses.length > 0 && { status: statuses.join(",") }),
        ...(rng.oneIn(2) && { agentId: "agent-1" }),
        ...(rng.oneIn(2) && { teamId: "insights" }),
        ...(rng.oneIn(2) && { priority: rng.pick(PRIORITIES) }),
        ...(rng.oneIn(2) && { label: "team:blue,customer:acme" }),
        ...(rng.oneIn(2) && { externalId: "42" }),
        ...(rng.oneIn(2) && { search: "50% off" }),
        ...(rng.oneIn(2) && { sort: rng.pick(["title", "-title"] as const) }),
        ...(rng.oneIn(2) && { view: "board" as const }),
      };
      const query = new URLSearchParams({ ...filters }).toString();
      const read = readTaskFilters(Object.fromEntries(new URLSearchParams(query)));
      expect(read, query).toEqual(filters);
    }
  });

  it("any other parameters give valid filters, and reading them again changes nothing", () => {
    const rng = new Rng(7);
    const texts = ["agentId", "teamId", "label", "externalId", "search"];
    const names = ["status", "priority", "sort", "view", "x", ...texts];
    const values = [1, true, null, undefined, {}, ["blocked"], ...TEXTS] as const;
    for (let n = 0; n < CASES; n += 1) {
      const search = Object.fromEntries(
        names.filter(() => rng.oneIn(2)).map((name) => [name, rng.pick(values)]),
      );
      const filters = readTaskFilters(search);
      expect(Object.keys(filters)).not.toContain("x");
      expect(Object.values(filters).every((value) => value !== "")).toBe(true);
      expect(readTaskFilters({ ...filters })).toEqual(filters);
    }
  });

  it("statuses are listed once, in the order of the state machine, without unknown ones", () => {
    expect(statusesOf({ status: "review,blocked,review,lost" })).toEqual(["blocked", "review"]);
    expect(readTaskFilters({ status: "lost" })).toEqual({});
  });

  it("numbers in the URL are read as text", () => {
    expect(readTaskFilters({ externalId: 42 })).toEqual({ externalId: "42" });
    expect(readTaskFilters({ search: 2026 })).toEqual({ search: "2026" });
  });

  it("a search is shortened to the maximum that the API accepts", () => {
    expect(readTaskFilters({ search: ` ${"x".repeat(300)}` }).search).toBe("x".repeat(200));
    expect(readTaskFilters({ search: `${"x".repeat(199)} y` }).search).toBe("x".repeat(199));
  });

  it("an order that the API does not have is ignored", () => {
    expect(readTaskFilters({ sort: "-createdAt" })).toEqual({});
    expect(readTaskFilters({ sort: "Title" })).toEqual({});
  });

  it("each click on the header of the titles gives the next order", () => {
    expect([undefined, "title" as const, "-title" as const].map(nextTitleSort)).toEqual([
      "title",
      "-title",
      undefined,
    ]);
  });
});
