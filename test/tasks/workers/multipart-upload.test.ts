import { describe, expect, it } from "vitest";
import { streamToR2 } from "../../../src/tasks/workers/multipart-upload.ts";

const CHUNK = 65_536;
const CHUNKS = 1_600;
const SIZE = CHUNK * CHUNKS;

/** Creates a 100 MiB body that counts the bytes read from it. */
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

/** Creates a store that accepts data only as fast as `take` reads it. */
function store(
  take: (stream: ReadableStream<Uint8Array>) => Promise<void>,
): Pick<R2Bucket, "put" | "createMultipartUpload"> {
  const put = async (_key: string, value: ReadableStream<Uint8Array>): Promise<null> => {
    await take(value);
    return null;
  };
  return { put } as Pick<R2Bucket, "put" | "createMultipartUpload">;
}

const FORMAT = { size: SIZE, format: "application/octet-stream" };
const settle = () => new Promise((resolve) => setTimeout(resolve, 0));

describe("a body streamed to the store", () => {
  it("a body is read at most two chunks ahead of the store", async () => {
    const { body, given } = source();
    let taken = 0;
    let furthest = 0;
    const slow = store(async (stream) => {
      for await (const chunk of stream) {
        // Let any code run that might read ahead.
        if (taken % (100 * CHUNK) === 0) await settle();
        furthest = Math.max(furthest, given() - taken);
        taken += chunk.byteLength;
      }
    });
    const poured = await streamToR2(slow, "key", body, FORMAT);
    expect(poured.ok).toBe(true);
    expect(taken).toBe(SIZE);
    expect(furthest).toBeLessThanOrEqual(2 * CHUNK);
  });

  it("at most two chunks of a body are read while the store accepts nothing", async () => {
    const { body, given } = source();
    const gate = Promise.withResolvers<void>();
    const stuck = store(async (stream) => {
      await gate.promise;
      await stream.pipeTo(new WritableStream());
    });
    const pouring = streamToR2(stuck, "key", body, FORMAT);
    for (let turns = 0; turns < 50; turns += 1) await settle();
    expect(given()).toBeLessThanOrEqual(2 * CHUNK);
    gate.resolve();
    expect((await pouring).ok).toBe(true);
    expect(given()).toBe(SIZE);
  });

  it("a body is cancelled when the store fails halfway, and the failure is passed on", async () => {
    const { body, given, isCancelled } = source();
    const failing = store(async (stream) => {
      const reader = stream.getReader();
      for (let chunks = 0; chunks < 10; chunks += 1) await reader.read();
      await reader.cancel(new Error("The disk is full."));
      throw new Error("The disk is full.");
    });
    await expect(streamToR2(failing, "key", body, FORMAT)).rejects.toThrow("The disk is full.");
    expect(given()).toBeLessThan(20 * CHUNK);
    expect(isCancelled()).toBe(true);
  });

  it("a body is cancelled when the store fails before it reads a byte, and the failure is passed on", async () => {
    const { body, given, isCancelled } = source();
    const failing = store(() => Promise.reject(new Error("Out of reach.")));
    await expect(streamToR2(failing, "key", body, FORMAT)).rejects.toThrow("Out of reach.");
    expect(given()).toBeLessThan(3 * CHUNK);
    expect(isCancelled()).toBe(true);
  });
});

describe("a body of unknown length", () => {
  const UNSIZED = { size: null, format: "application/octet-stream" };
  const PART = 5 * 1_048_576;

  /** Creates a store that records its calls and fails when it receives a given part. */
  function partStore(failingPart = Infinity) {
    const parts: number[] = [];
    const done: string[] = [];
    const upload = {
      uploadPart: async (partNumber: number, part: Uint8Array) => {
        if (partNumber === failingPart) throw new Error("The disk is full.");
        parts.push(part.byteLength);
        return { partNumber, etag: String(partNumber) };
      },
      complete: async () => done.push("completed"),
      abort: async () => done.push("aborted"),
    };
    const files = {
      put: async () => done.push("put"),
      createMultipartUpload: async () => upload,
    } as unknown as Pick<R2Bucket, "put" | "createMultipartUpload">;
    return { files, parts, done };
  }

  /**
   * Creates a body whose chunk size does not evenly divide the part size. The body may fail before
   * its end.
   */
  function chunks(size: number, breaksAt = Infinity): ReadableStream<Uint8Array> {
    let given = 0;
    return new ReadableStream<Uint8Array>({
      pull(controller) {
        if (given >= breaksAt) return controller.error(new Error("The line broke."));
        if (given === size) return controller.close();
        const chunk = new Uint8Array(Math.min(999_983, size - given));
        given += chunk.byteLength;
        controller.enqueue(chunk);
      },
    });
  }

  it("a body of unknown length is stored in parts of equal size, except the last", async () => {
    const { files, parts, done } = partStore();
    const poured = await streamToR2(files, "key", chunks(2 * PART + 7), UNSIZED);
    expect(poured).toMatchObject({ ok: true, value: { size: 2 * PART + 7 } });
    expect([parts, done]).toEqual([[PART, PART, 7], ["completed"]]);
  });

  it("if a body of unknown length is cut off, no part remains, and the error states how many bytes were read", async () => {
    const { files, done } = partStore();
    const poured = await streamToR2(files, "key", chunks(3 * PART, 2 * PART), UNSIZED);
    expect(poured).toMatchObject({ ok: false, failure: { kind: "validation" } });
    expect(JSON.stringify(poured)).toMatch(/interrupted after \d+ bytes/);
    expect(done).toEqual(["aborted"]);
  });

  it("if a body of unknown length is cut off within its first part, nothing is stored", async () => {
    const { files, parts, done } = partStore();
    expect((await streamToR2(files, "key", chunks(PART, 999_983), UNSIZED)).ok).toBe(false);
    expect([parts, done]).toEqual([[], []]);
  });

  it.each([
    ["of 100 MiB is stored", 0, { ok: true, value: { size: SIZE } }, ["completed"]],
    [
      "that is too large is not read to its end, and leaves no part behind",
      1,
      { ok: false, failure: { kind: "payload_too_large", bytesMax: SIZE } },
      ["aborted"],
    ],
  ])("a body of unknown length %s", async (_, tooMany, outcome, ended) => {
    const { files, parts, done } = partStore();
    const poured = await streamToR2(files, "key", chunks(SIZE + tooMany), UNSIZED);
    expect(poured).toMatchObject(outcome);
    expect([parts.length <= SIZE / PART, done]).toEqual([true, ended]);
  });

  it("if the store fails, no part of a body of unknown length remains, and the failure is passed on", async () => {
    const { files, done } = partStore(2);
    const pouring = streamToR2(files, "key", chunks(3 * PART), UNSIZED);
    await expect(pouring).rejects.toThrow("The disk is full.");
    expect(done).toEqual(["aborted"]);
  });
});
