import { type Failure, createFieldFailure } from "../../kernel/failure.ts";
import { fail, ok, type Result } from "../../kernel/result.ts";
import { UPLOAD_BYTES_MAX, UPLOAD_PART_BYTES } from "../limits.ts";

/** How to store a body; `size` in bytes, null if the client does not state it. */
interface BodyFormat {
  readonly size: number | null;
  readonly format: string;
}

type Files = Pick<R2Bucket, "put" | "createMultipartUpload">;

/**
 * Stores a body under `key` and returns its size and SHA-256, or a problem with its length. Reads the next
 * chunk only after the store has accepted the previous one, so that memory holds one chunk. Rejects if the
 * store fails. An unfinished file is never visible.
 */
export async function streamToR2(
  files: Files,
  key: string,
  body: ReadableStream<Uint8Array> | null,
  { size, format }: BodyFormat,
): Promise<Result<StoredBody, Failure>> {
  if (size === null) return uploadInParts(files, key, body, format);
  const pipe = new FixedLengthStream(size);
  const hash = new crypto.DigestStream("SHA-256");
  const [pumped, stored, digest] = await Promise.allSettled([
    pump(body, size, [hash.getWriter(), pipe.writable.getWriter()]),
    put(files, key, pipe.readable, format),
    hash.digest,
  ]);
  if (pumped.status === "fulfilled" && pumped.value !== null) return fail(pumped.value);
  if (stored.status === "rejected") throw stored.reason;
  if (pumped.status === "rejected") throw pumped.reason;
  if (digest.status === "rejected") throw digest.reason;
  return ok({ size, sha256: Buffer.from(digest.value).toString("hex") });
}

/** Stores a stream. If the store fails without reading it, the stream is cancelled, so that its writer does not wait. */
async function put(
  files: Pick<R2Bucket, "put">,
  key: string,
  stream: ReadableStream<Uint8Array>,
  format: string,
): Promise<void> {
  try {
    await files.put(key, stream, { httpMetadata: { contentType: format } });
  } catch (error) {
    // The caller gets the error of the store, even if the cancellation fails.
    if (!stream.locked) void stream.cancel(error).catch(() => {});
    throw error;
  }
}

type Sink = WritableStreamDefaultWriter<Uint8Array>;

/** Writes each chunk to all sinks before it reads the next; returns what is wrong with the body. */
async function pump(
  body: ReadableStream<Uint8Array> | null,
  size: number,
  sinks: readonly Sink[],
): Promise<Failure | null> {
  const reader = body?.getReader() ?? null;
  let isOver = false;
  try {
    const problem = await copyBody(reader, size, sinks);
    if (problem === null) await Promise.all(sinks.map((sink) => sink.close()));
    isOver = problem === null;
    return problem;
  } finally {
    if (!isOver) await abortAll(reader, sinks);
  }
}

async function copyBody(
  reader: ReadableStreamDefaultReader<Uint8Array> | null,
  size: number,
  sinks: readonly Sink[],
): Promise<Failure | null> {
  let read = 0;
  for (;;) {
    const next = await reader?.read().catch(() => null);
    if (next === null) return interruptedUpload(read);
    if (next === undefined || next.done) break;
    read += next.value.byteLength;
    if (read > size) {
      return incompleteUpload(`it holds more than the ${size} bytes that Content-Length says`);
    }
    await Promise.all(sinks.map((sink) => sink.write(next.value)));
  }
  return read === size
    ? null
    : incompleteUpload(`it ended after ${read} bytes, and Content-Length says ${size}`);
}

async function abortAll(
  reader: ReadableStreamDefaultReader<Uint8Array> | null,
  sinks: readonly Sink[],
): Promise<void> {
  const error = new Error("The upload was aborted.");
  await Promise.allSettled([reader?.cancel(error), ...sinks.map((sink) => sink.abort(error))]);
}

/** A stored body: `size` in bytes, `sha256` in hex. */
export interface StoredBody {
  readonly size: number;
  readonly sha256: string;
}

/** The failure of an incomplete body, which is not stored. */
function interruptedUpload(bytesRead: number): Failure {
  return incompleteUpload(`it was interrupted after ${bytesRead} bytes`);
}

function incompleteUpload(reason: string): Failure {
  return createFieldFailure("body", `must be the whole file: ${reason}`);
}

/**
 * Stores a body of unknown length under `key` in parts of equal size: R2 accepts no other stream of unknown
 * length. Memory holds one part. A body that is too large or incomplete leaves nothing in the store.
 */
async function uploadInParts(
  files: Pick<R2Bucket, "put" | "createMultipartUpload">,
  key: string,
  body: ReadableStream<Uint8Array> | null,
  format: string,
): Promise<Result<StoredBody, Failure>> {
  const reader = body?.getReader() ?? null;
  const hash = new crypto.DigestStream("SHA-256");
  // An aborted digest rejects, and nothing awaits it then.
  hash.digest.catch(() => {});
  const hashing = hash.getWriter();
  const parts = new Parts(files, key, format);
  let isStored = false;
  try {
    let size = 0;
    for (;;) {
      const next = await reader?.read().catch(() => null);
      if (next === null) return fail(interruptedUpload(size));
      if (next === undefined || next.done) break;
      size += next.value.byteLength;
      if (size > UPLOAD_BYTES_MAX) {
        return fail({ kind: "payload_too_large", bytesMax: UPLOAD_BYTES_MAX });
      }
      await Promise.all([hashing.write(next.value), parts.add(next.value)]);
    }
    await hashing.close();
    const sha256 = Buffer.from(await hash.digest).toString("hex");
    await parts.complete();
    isStored = true;
    return ok({ size, sha256 });
  } finally {
    if (!isStored) {
      await Promise.allSettled([reader?.cancel(), hashing.abort(), parts.abort()]);
    }
  }
}

/** A file written in parts. A file that fits into one part is written with a single request. */
class Parts {
  readonly #files: Pick<R2Bucket, "put" | "createMultipartUpload">;
  readonly #key: string;
  readonly #options: R2MultipartOptions;
  readonly #buffer = new Uint8Array(UPLOAD_PART_BYTES);
  readonly #uploaded: R2UploadedPart[] = [];
  #filled = 0;
  #upload: R2MultipartUpload | null = null;

  constructor(
    files: Pick<R2Bucket, "put" | "createMultipartUpload">,
    key: string,
    contentType: string,
  ) {
    this.#files = files;
    this.#key = key;
    this.#options = { httpMetadata: { contentType } };
  }

  async add(chunk: Uint8Array): Promise<void> {
    for (let taken = 0; taken < chunk.byteLength;) {
      if (this.#filled === this.#buffer.byteLength) {
        await this.#flush();
      }
      const piece = chunk.subarray(taken, taken + this.#buffer.byteLength - this.#filled);
      this.#buffer.set(piece, this.#filled);
      this.#filled += piece.byteLength;
      taken += piece.byteLength;
    }
  }

  async complete(): Promise<void> {
    if (this.#upload === null) {
      await this.#files.put(this.#key, this.#buffer.subarray(0, this.#filled), this.#options);
      return;
    }
    await this.#flush();
    await this.#upload.complete(this.#uploaded);
  }

  async abort(): Promise<void> {
    await this.#upload?.abort();
  }

  async #flush(): Promise<void> {
    this.#upload ??= await this.#files.createMultipartUpload(this.#key, this.#options);
    const part = this.#buffer.subarray(0, this.#filled);
    this.#uploaded.push(await this.#upload.uploadPart(this.#uploaded.length + 1, part));
    this.#filled = 0;
  }
}
