import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { Waiter, WaitQueue } from "../../../src/agents/queue/wait-queue.ts";

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

const SECOND_MS = 1_000;

describe("the wait queue of claims", () => {
  it("waiters are woken one at a time, in order of arrival", async () => {
    const line = new WaitQueue();
    const called: string[] = [];
    const turns = ["a", "b", "c"].map(async (name) => {
      if (await new Waiter(line, SECOND_MS).wait()) called.push(name);
    });
    line.wakeNext();
    line.wakeNext();
    await vi.advanceTimersByTimeAsync(0);
    expect(called).toEqual(["a", "b"]);
    line.wakeAll();
    await Promise.all(turns);
    expect(called).toEqual(["a", "b", "c"]);
  });

  it("a waiter that was woken without a task goes back to the front", async () => {
    const line = new WaitQueue();
    const first = new Waiter(line, SECOND_MS);
    const called: string[] = [];
    const firstTurn = first.wait();
    const secondTurn = new Waiter(line, SECOND_MS).wait().then(() => called.push("second"));
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

  it("a waiter's timeout counts from its arrival, and the next waiter is woken instead", async () => {
    const line = new WaitQueue();
    const [short, long] = [new Waiter(line, SECOND_MS), new Waiter(line, 3 * SECOND_MS)];
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

  it("a waiter with a timeout of zero does not wait", async () => {
    expect(await new Waiter(new WaitQueue(), 0).wait()).toBe(false);
  });

  it("the next waiter is woken instead of cancelled ones, even if one of them had already been woken", async () => {
    const line = new WaitQueue();
    const waiters = [1, 2, 3].map(() => new Waiter(line, SECOND_MS));
    const turns = waiters.map((waiter) => waiter.wait());
    line.wakeNext();
    waiters[0]?.cancel();
    waiters[1]?.cancel();
    line.wakeNext();
    expect(await Promise.all(turns)).toEqual([true, false, true]);
    expect(waiters.map(({ isCancelled }) => isCancelled)).toEqual([true, true, false]);
    expect(await waiters[0]?.wait()).toBe(false);
  });

  it("a closed waiter leaves the wait queue, and its timer is cleared", async () => {
    const line = new WaitQueue();
    const gone = new Waiter(line, SECOND_MS);
    const turn = gone.wait();
    gone.close();
    expect(await turn).toBe(false);
    expect(vi.getTimerCount()).toBe(0);
    const other = new Waiter(line, SECOND_MS).wait();
    line.wakeNext();
    expect(await other).toBe(true);
  });
});
