import { beforeAll, describe, expect, it } from "vitest";
import { get, patch } from "../../support/client.ts";
import { create, stopClock, taskIn } from "../../support/tasks.ts";

beforeAll(stopClock);

/** Creates a task with this number of events: its creation and added notes. */
async function withEvents(count: number): Promise<string> {
  const id = await create();
  for (let note = 1; note < count; note += 1) {
    await patch(`/agents/tasks/${id}`, { notes: `note ${note}` });
  }
  return id;
}

const page = async (id: string, query: string) =>
  (await get(`/agents/tasks/${id}/events?${query}`)).body.data;

describe("a task's events", () => {
  it("after and limit page through a task's events without gaps or repeats, oldest first", async () => {
    const id = await withEvents(7);
    const seen: number[] = [];
    let after: number | null = 0;
    let pages = 0;
    while (after !== null) {
      const data: { events: { seq: number }[]; nextAfter: number | null } = await page(
        id,
        `after=${after}&limit=3`,
      );
      seen.push(...data.events.map(({ seq }) => seq));
      after = data.nextAfter;
      pages += 1;
    }
    expect(seen).toEqual([1, 2, 3, 4, 5, 6, 7]);
    expect(pages).toBe(3);
  });

  it.each([
    ["limit=7", [1, 2, 3, 4, 5, 6, 7], null],
    ["limit=6", [1, 2, 3, 4, 5, 6], 6],
    ["after=6", [7], null],
    ["after=5&limit=1", [6], 6],
    ["after=7", [], null],
    ["after=9999", [], null],
  ])("a page of events with %s contains %j and continues at %j", async (query, seqs, nextAfter) => {
    const data = await page(await withEvents(7), query);
    expect(data.events.map(({ seq }: { seq: number }) => seq)).toEqual(seqs);
    expect(data.nextAfter).toBe(nextAfter);
  });

  it("events are listed a hundred at a time by default", async () => {
    const data = await page(await withEvents(102), "after=0");
    expect(data.events).toHaveLength(100);
    expect(data.nextAfter).toBe(100);
  });

  it("each event has exactly seq, type, time and data, and no fingerprint", async () => {
    const id = await taskIn("completed");
    const answer = await get(`/agents/tasks/${id}/events`);
    expect(answer.body.data.taskId).toBe(id);
    for (const event of answer.body.data.events) {
      expect(Object.keys(event)).toEqual(["seq", "type", "at", "data"]);
      expect(new Date(event.at).toISOString()).toBe(event.at);
    }
    expect(answer.text).not.toContain("fingerprint");
  });
});
