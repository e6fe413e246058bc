import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { DirectoryWriter } from "../../src/events/directory-writer.ts";
import {
  FEED_DIRECTORY_TIMEOUT_MS,
  FEED_DIRECTORY_TRANSACTION_MAX_MS,
} from "../../src/events/limits.ts";
import type { DirectoryWrite } from "../../src/tasks/model/listing.ts";
import { writeFor } from "../support/directory-write.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** A transaction that has started. */
interface Transaction {
  readonly ids: readonly string[];
  readonly end: PromiseWithResolvers<void>;
}

/** A writer whose transactions stay open until the test ends them. */
function writerWithTransactions(): { writer: DirectoryWriter; transactions: Transaction[] } {
  const transactions: Transaction[] = [];
  const writer = new DirectoryWriter(async (writes: readonly DirectoryWrite[]) => {
    const end = Promise.withResolvers<void>();
    transactions.push({ ids: writes.map(({ row }) => row.id), end });
    await end.promise;
    return writes;
  });
  return { writer, transactions };
}

/** Ends a transaction, so that the writer can start the next one. */
async function settle(transaction: Transaction | undefined): Promise<void> {
  transaction?.end.resolve();
  await vi.advanceTimersByTimeAsync(0);
}

/** The value of a promise, or "open" while it is pending. */
async function settledValue<Value>(promise: Promise<Value>): Promise<Value | "open"> {
  await vi.advanceTimersByTimeAsync(0);
  return Promise.race([promise, Promise.resolve("open" as const)]);
}

it("rows that arrive during a transaction share the next one", async () => {
  const { writer, transactions } = writerWithTransactions();
  const rows = ["first", "second", "third"].map((id) => writer.write(writeFor(id), null));
  await settle(transactions[0]);
  await settle(transactions[1]);
  expect(await settledValue(Promise.all(rows))).toEqual([true, true, true]);
  expect(transactions.map(({ ids }) => ids)).toEqual([["first"], ["second", "third"]]);
});

it("a row that waits for FEED_DIRECTORY_TIMEOUT_MS is refused, and is not written later if its transaction has not started", async () => {
  const { writer, transactions } = writerWithTransactions();
  const rows = ["started", "waiting"].map((id) => writer.write(writeFor(id), null));
  await vi.advanceTimersByTimeAsync(FEED_DIRECTORY_TIMEOUT_MS - 1);
  expect(await settledValue(Promise.all(rows))).toBe("open");
  await vi.advanceTimersByTimeAsync(1);
  expect(await settledValue(Promise.all(rows))).toEqual([false, false]);
  await settle(transactions[0]);
  const next = writer.write(writeFor("next"), null);
  await settle(transactions[1]);
  expect(await settledValue(next)).toBe(true);
  expect(transactions.map(({ ids }) => ids)).toEqual([["started"], ["next"]]);
});

it("while a transaction is overdue, the writer refuses further rows at once", async () => {
  const { writer, transactions } = writerWithTransactions();
  void writer.write(writeFor("started"), null);
  await vi.advanceTimersByTimeAsync(FEED_DIRECTORY_TIMEOUT_MS);
  expect(await settledValue(writer.write(writeFor("refused"), null))).toBe(false);
  await settle(transactions[0]);
  void writer.write(writeFor("accepted"), null);
  expect(transactions.map(({ ids }) => ids)).toEqual([["started"], ["accepted"]]);
});

it("a transaction that never ends counts as failed after a limited time, and the next row is written", async () => {
  const warned = vi.spyOn(console, "warn").mockImplementation(() => {});
  const { writer, transactions } = writerWithTransactions();
  void writer.write(writeFor("lost"), "request-1");
  await vi.advanceTimersByTimeAsync(FEED_DIRECTORY_TRANSACTION_MAX_MS);
  expect(warned.mock.calls).toEqual([
    [expect.objectContaining({ event: "directory_batch_failed", taskIds: ["lost"] })],
  ]);
  const next = writer.write(writeFor("next"), null);
  await settle(transactions[1]);
  expect(await settledValue(next)).toBe(true);
  warned.mockRestore();
});

it("a transaction that fails is logged with its tasks and requests, and the next row is written", async () => {
  const warned = vi.spyOn(console, "warn").mockImplementation(() => {});
  const { writer, transactions } = writerWithTransactions();
  const first = writer.write(writeFor("first"), null);
  const rejected = [
    writer.write(writeFor("second"), "request-2"),
    writer.write(writeFor("third"), "request-3"),
  ];
  await settle(transactions[0]);
  expect(await settledValue(first)).toBe(true);
  const error = new Error("D1_ERROR: outage");
  transactions[1]?.end.reject(error);
  expect(await settledValue(Promise.all(rejected))).toEqual([false, false]);
  const fields = { requestId: "request-2,request-3", taskIds: ["second", "third"], error };
  expect(warned.mock.calls).toEqual([[{ event: "directory_batch_failed", ...fields }]]);
  const last = writer.write(writeFor("last"), null);
  await settle(transactions[2]);
  expect(await settledValue(last)).toBe(true);
  warned.mockRestore();
});
