import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { WaitQueue } from "../../../src/agents/queue/wait-queue.ts";

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

const SECOND_MS = 1_000;

describe("a line of claims", () => {
  it("calls up one at a time, in the order in which they came", async () => {
    const line = new WaitQueue();
    const called: string[] = [];
    const turns = ["a", "b", "c"].map(async (name) => {
      if (await line.createWaiter(SECOND_MS).wait()) called.push(name);
    });
    line.wakeNext();
    line.wakeNext();
    await vi.advanceTimersByTimeAsync(0);
    expect(called).toEqual(["a", "b"]);
    line.wakeAll();
    await Promise.all(turns);
    expect(called).toEqual(["a", "b", "c"]);
  });

  it("a waiter that was called without a task goes back to the front", async () => {
    const line = new WaitQueue();
    const first = line.createWaiter(SECOND_MS);
    const called: string[] = [];
    const firstTurn = first.wait();
    const secondTurn = line
      .createWaiter(SECOND_MS)
      .wait()
      .then(() => called.push("second"));
    line.wakeNext();
    expect(await firstTurn).toBe(true);
    const again = first.wait().then(() => called.push("first"));
    line.wakeNext();
    await again;
    expect(called).toEqual(["first"]);
    line.wakeNext();
    await secondTurn;
    expect(called).toEqual(["first", "second"]);
  });

  it("lets go whose time is over, counted from when they came, and calls up the next instead", async () => {
    const line = new WaitQueue();
    const [short, long] = [line.createWaiter(SECOND_MS), line.createWaiter(3 * SECOND_MS)];
    const shortTurn = short.wait();
    const longTurn = long.wait();
    await vi.advanceTimersByTimeAsync(SECOND_MS);
    expect(await shortTurn).toBe(false);
    expect(await short.wait()).toBe(false);
    line.wakeNext();
    expect(await longTurn).toBe(true);

    const rest = long.wait();
    await vi.advanceTimersByTimeAsync(2 * SECOND_MS);
    expect(await rest).toBe(false);
  });

  it("does not wait for who has no time at all", async () => {
    expect(await new WaitQueue().createWaiter(0).wait()).toBe(false);
  });

  it("calls up the next instead of who has given up, with time left or called up already", async () => {
    const line = new WaitQueue();
    const visitors = [1, 2, 3].map(() => line.createWaiter(SECOND_MS));
    const turns = visitors.map((visitor) => visitor.wait());
    line.wakeNext();
    visitors[0]?.cancel();
    visitors[1]?.cancel();
    line.wakeNext();
    expect(await Promise.all(turns)).toEqual([true, false, true]);
    expect(visitors.map(({ isCancelled }) => isCancelled)).toEqual([true, true, false]);
    expect(await visitors[0]?.wait()).toBe(false);
  });

  it("forgets who has left, with the timer", async () => {
    const line = new WaitQueue();
    const gone = line.createWaiter(SECOND_MS);
    const turn = gone.wait();
    gone.close();
    expect(await turn).toBe(false);
    expect(vi.getTimerCount()).toBe(0);
    const other = line.createWaiter(SECOND_MS).wait();
    line.wakeNext();
    expect(await other).toBe(true);
  });
});
