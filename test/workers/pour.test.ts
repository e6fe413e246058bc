import { describe, expect, it } from "vitest";
import { pour } from "../../src/tasks/worker/pour.ts";

const CHUNK = 65_536;
const CHUNKS = 1_600;
const SIZE = CHUNK * CHUNKS;

/** A body of 100 MiB that counts what was asked of it. */
function source(): {
  body: ReadableStream<Uint8Array>;
  given: () => number;
  isCancelled: () => boolean;
} {
  let given = 0;
  let isCancelled = false;
  const body = new ReadableStream<Uint8Array>(
    {
      pull(controller) {
        if (given === SIZE) return controller.close();
        given += CHUNK;
        controller.enqueue(new Uint8Array(CHUNK));
      },
      cancel() {
        isCancelled = true;
      },
    },
    { highWaterMark: 0 },
  );
  return { body, given: () => given, isCancelled: () => isCancelled };
}

/** A store that takes what it is given as slowly as `take` wants. */
function store(take: (stream: ReadableStream<Uint8Array>) => Promise<void>): Pick<R2Bucket, "put"> {
  const put = async (_key: string, value: ReadableStream<Uint8Array>): Promise<null> => {
    await take(value);
    return null;
  };
  return { put } as Pick<R2Bucket, "put">;
}

const FORMAT = { size: SIZE, format: "application/octet-stream" };
const settle = () => new Promise((resolve) => setTimeout(resolve, 0));

describe("a body that is poured into the store", () => {
  it("is read no faster than the store takes it: never more than two chunks ahead", async () => {
    const { body, given } = source();
    let taken = 0;
    let furthest = 0;
    const slow = store(async (stream) => {
      for await (const chunk of stream) {
        // All that could run ahead has its chance to.
        if (taken % (100 * CHUNK) === 0) await settle();
        furthest = Math.max(furthest, given() - taken);
        taken += chunk.byteLength;
      }
    });
    const poured = await pour(slow, "key", body, FORMAT);
    expect(poured.ok).toBe(true);
    expect(taken).toBe(SIZE);
    expect(furthest).toBeLessThanOrEqual(2 * CHUNK);
  });

  it("into a store that takes nothing is hardly read at all", async () => {
    const { body, given } = source();
    const gate = Promise.withResolvers<void>();
    const stuck = store(async (stream) => {
      await gate.promise;
      await stream.pipeTo(new WritableStream());
    });
    const pouring = pour(stuck, "key", body, FORMAT);
    for (let turns = 0; turns < 50; turns += 1) await settle();
    expect(given()).toBeLessThanOrEqual(2 * CHUNK);
    gate.resolve();
    expect((await pouring).ok).toBe(true);
    expect(given()).toBe(SIZE);
  });

  it("into a store that fails half way is read no further, and the failure is passed on", async () => {
    const { body, given, isCancelled } = source();
    const failing = store(async (stream) => {
      const reader = stream.getReader();
      for (let chunks = 0; chunks < 10; chunks += 1) await reader.read();
      await reader.cancel(new Error("The disk is full."));
      throw new Error("The disk is full.");
    });
    await expect(pour(failing, "key", body, FORMAT)).rejects.toThrow("The disk is full.");
    expect(given()).toBeLessThan(20 * CHUNK);
    expect(isCancelled()).toBe(true);
  });

  it("into a store that fails before it has read a byte fails at once, too", async () => {
    const { body, given, isCancelled } = source();
    const failing = store(() => Promise.reject(new Error("Out of reach.")));
    await expect(pour(failing, "key", body, FORMAT)).rejects.toThrow("Out of reach.");
    expect(given()).toBeLessThan(3 * CHUNK);
    expect(isCancelled()).toBe(true);
  });
});
