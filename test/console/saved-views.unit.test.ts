import { beforeAll, beforeEach, describe, expect, it, vi } from "vitest";

const STORED_AS = "bosun-task-views";
const stored = new Map<string, string>();

/** Loads the module as a tab of the console does. */
async function openTab() {
  vi.resetModules();
  return import("../../console/src/tasks/saved-views.ts");
}

describe("saved views", () => {
  beforeAll(() => {
    vi.stubGlobal("localStorage", {
      getItem: (name: string) => stored.get(name) ?? null,
      setItem: (name: string, text: string) => void stored.set(name, text),
    });
    return () => vi.unstubAllGlobals();
  });
  beforeEach(() => stored.clear());

  it.each(["{", "null", "7", '[1,{"name":2,"filters":{}},{"name":"a","filters":null}]'])(
    "a stored text that is not a list of views is replaced: %s",
    async (text) => {
      stored.set(STORED_AS, text);
      const tab = await openTab();
      tab.saveView("Blocked", { status: "blocked" });
      expect(JSON.parse(stored.get(STORED_AS) ?? "")).toEqual([
        { name: "Blocked", filters: { status: "blocked" } },
      ]);
    },
  );

  it("a tab keeps the views that another one saved", async () => {
    const first = await openTab();
    const second = await openTab();
    first.saveView("Blocked", { status: "blocked" });
    second.saveView("Review", { status: "review" });
    second.saveView("Mine", { search: "mine" });
    first.deleteView("Review");
    expect(JSON.parse(stored.get(STORED_AS) ?? "")).toEqual([
      { name: "Blocked", filters: { status: "blocked" } },
      { name: "Mine", filters: { search: "mine" } },
    ]);
  });
});
