import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { Line } from "../../src/agents/queue/line.ts";

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

const SECOND_MS = 1_000;

describe("a line of claims", () => {
  it("calls up one at a time, in the order in which they came", async () => {
    const line = new Line();
    const called: string[] = [];
    const turns = ["a", "b", "c"].map(async (name) => {
      if (await line.join(SECOND_MS).turn()) called.push(name);
    });
    line.callNext();
    line.callNext();
    await vi.advanceTimersByTimeAsync(0);
    expect(called).toEqual(["a", "b"]);
    line.callAll();
    await Promise.all(turns);
    expect(called).toEqual(["a", "b", "c"]);
  });

  it("puts who was called up in vain back to the front", async () => {
    const line = new Line();
    const first = line.join(SECOND_MS);
    const called: string[] = [];
    const firstTurn = first.turn();
    const secondTurn = line
      .join(SECOND_MS)
      .turn()
      .then(() => called.push("second"));
    line.callNext();
    expect(await firstTurn).toBe(true);
    const again = first.turn().then(() => called.push("first"));
    line.callNext();
    await again;
    expect(called).toEqual(["first"]);
    line.callNext();
    await secondTurn;
    expect(called).toEqual(["first", "second"]);
  });

  it("lets go whose time is over, counted from when they came, and calls up the next instead", async () => {
    const line = new Line();
    const [short, long] = [line.join(SECOND_MS), line.join(3 * SECOND_MS)];
    const shortTurn = short.turn();
    const longTurn = long.turn();
    await vi.advanceTimersByTimeAsync(SECOND_MS);
    expect(await shortTurn).toBe(false);
    expect(await short.turn()).toBe(false);
    line.callNext();
    expect(await longTurn).toBe(true);

    const rest = long.turn();
    await vi.advanceTimersByTimeAsync(2 * SECOND_MS);
    expect(await rest).toBe(false);
  });

  it("does not wait for who has no time at all", async () => {
    expect(await new Line().join(0).turn()).toBe(false);
  });

  it("calls up the next instead of who has given up, with time left or called up already", async () => {
    const line = new Line();
    const visitors = [1, 2, 3].map(() => line.join(SECOND_MS));
    const turns = visitors.map((visitor) => visitor.turn());
    line.callNext();
    visitors[0]?.giveUp();
    visitors[1]?.giveUp();
    line.callNext();
    expect(await Promise.all(turns)).toEqual([true, false, true]);
    expect(visitors.map(({ hasGivenUp }) => hasGivenUp)).toEqual([true, true, false]);
    expect(await visitors[0]?.turn()).toBe(false);
  });

  it("forgets who has left, with the timer", async () => {
    const line = new Line();
    const gone = line.join(SECOND_MS);
    const turn = gone.turn();
    gone.leave();
    expect(await turn).toBe(false);
    expect(vi.getTimerCount()).toBe(0);
    const other = line.join(SECOND_MS).turn();
    line.callNext();
    expect(await other).toBe(true);
  });
});
