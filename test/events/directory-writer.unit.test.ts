import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { DirectoryWriter } from "../../src/events/directory-writer.ts";
import {
  FEED_DIRECTORY_ROWS_MAX,
  FEED_DIRECTORY_TIMEOUT_MS,
  FEED_DIRECTORY_TRANSACTION_MAX_MS,
} from "../../src/events/limits.ts";
import type { DirectoryWrite } from "../../src/tasks/model/listing.ts";
import { writeFor } from "../support/directory-write.ts";
import { muteWarnings } from "../support/mute-warnings.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** A transaction that has started. */
interface Transaction {
  readonly ids: readonly string[];
  readonly end: PromiseWithResolvers<void>;
}

/** Returns a writer whose transactions stay open until the test ends them. */
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

/** Returns the value of a promise, or "open" if it is still pending. */
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

it("a row is accepted if two transactions as long as the open one fit into FEED_DIRECTORY_TIMEOUT_MS, and otherwise refused immediately", async () => {
  const { writer, transactions } = writerWithTransactions();
  void writer.write(writeFor("started"), null);
  await vi.advanceTimersByTimeAsync(FEED_DIRECTORY_TIMEOUT_MS / 2 - 1);
  expect(await settledValue(writer.write(writeFor("accepted"), null))).toBe("open");
  await vi.advanceTimersByTimeAsync(1);
  expect(await settledValue(writer.write(writeFor("refused"), null))).toBe(false);
  await settle(transactions[0]);
  expect(transactions.map(({ ids }) => ids)).toEqual([["started"], ["accepted"]]);
});

it("the writer refuses a row immediately if the next transaction is full", async () => {
  const { writer, transactions } = writerWithTransactions();
  void writer.write(writeFor("started"), null);
  const rows = Array.from({ length: FEED_DIRECTORY_ROWS_MAX }, (_, index) =>
    writer.write(writeFor(`row ${index}`), null),
  );
  expect(await settledValue(writer.write(writeFor("refused"), null))).toBe(false);
  await settle(transactions[0]);
  await settle(transactions[1]);
  expect(await settledValue(Promise.all(rows))).toEqual(rows.map(() => true));
  expect(transactions.map(({ ids }) => ids.length)).toEqual([1, FEED_DIRECTORY_ROWS_MAX]);
});

/** Sends a row every `everyMs` to a directory whose transactions take `transactionMs`. */
async function writeToSlowDirectory(rows: number, everyMs: number, transactionMs: number) {
  let transactions = 0;
  const saved: number[] = [];
  const writer = new DirectoryWriter(async (writes) => {
    transactions += 1;
    await new Promise((resolve) => void setTimeout(resolve, transactionMs));
    saved.push(...writes.map(({ row }) => Number(row.id)));
    return writes;
  });
  const confirmed = new Set<number>();
  for (let index = 0; index < rows; index += 1) {
    const writing = writer.write(writeFor(String(index)), null);
    void writing.then((isConfirmed) => isConfirmed && confirmed.add(index));
    await vi.advanceTimersByTimeAsync(everyMs);
  }
  await vi.runAllTimersAsync();
  return { transactions, confirmed, unconfirmed: saved.filter((index) => !confirmed.has(index)) };
}

it("after the first slow transaction, the writer confirms all rows that it writes", async () => {
  const { transactions, confirmed, unconfirmed } = await writeToSlowDirectory(500, 20, 300);
  // During the first transaction, which takes 300 ms, 15 rows arrive, one every 20 ms.
  expect(unconfirmed.filter((index) => index >= 15)).toEqual([]);
  // Only rows that arrive in the first 100 ms of a transaction are refused.
  expect(confirmed.size).toBeGreaterThan(250);
  expect(transactions).toBeLessThan(40);
});

it("after a slow transaction and a fast one, rows share transactions again", async () => {
  const { writer, transactions } = writerWithTransactions();
  void writer.write(writeFor("slow"), null);
  await vi.advanceTimersByTimeAsync(FEED_DIRECTORY_TIMEOUT_MS - 1);
  await settle(transactions[0]);
  void writer.write(writeFor("fast"), null);
  expect(await settledValue(writer.write(writeFor("refused"), null))).toBe(false);
  await settle(transactions[1]);
  const rows = ["first", "second", "third"].map((id) => writer.write(writeFor(id), null));
  await settle(transactions[2]);
  await settle(transactions[3]);
  expect(await settledValue(Promise.all(rows))).toEqual([true, true, true]);
  expect(transactions.map(({ ids }) => ids.length)).toEqual([1, 1, 1, 2]);
});

it("a transaction that never ends counts as failed after a limited time, and the next row is written", async () => {
  const warned = muteWarnings();
  const { writer, transactions } = writerWithTransactions();
  void writer.write(writeFor("lost"), "request-1");
  await vi.advanceTimersByTimeAsync(FEED_DIRECTORY_TRANSACTION_MAX_MS);
  const fields = { requestId: "request-1", taskIds: ["lost"] };
  expect(warned.mock.calls).toMatchObject([
    [{ event: "directory_batch_failed", ...fields }],
    [{ event: "directory_batch_slow", ...fields, durationMs: FEED_DIRECTORY_TRANSACTION_MAX_MS }],
  ]);
  const next = writer.write(writeFor("next"), null);
  await settle(transactions[1]);
  expect(await settledValue(next)).toBe(true);
});

it("a transaction that fails is logged with its tasks and requests, and the next row is written", async () => {
  const warned = muteWarnings();
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
});
