import { type Failure, createFieldFailure } from "../../kernel/failure.ts";
import { fail, ok, type Result } from "../../kernel/result.ts";
import { UPLOAD_BYTES_MAX, UPLOAD_PART_BYTES } from "../limits.ts";

/** How to store a body. `size` is in bytes; null if the client does not specify it. */
interface BodyFormat {
  readonly size: number | null;
  readonly format: string;
}

/** A stored body. `size` is in bytes; `sha256` is in hex. */
export interface StoredBody {
  readonly size: number;
  readonly sha256: string;
}

type Files = Pick<R2Bucket, "put" | "createMultipartUpload">;

/** A destination for chunks: the store or the hash. */
interface Sink {
  write(chunk: Uint8Array): Promise<void>;
  close(): Promise<void>;
  abort(reason: unknown): Promise<void>;
}

/**
 * Stores a body under `key` and returns its size and SHA-256, or a failure if its length is wrong. To limit memory use,
 * reads each chunk only after the store has accepted the previous one. R2 does not accept streams of unknown length, so
 * a body of unknown length is stored in parts, with one part in memory at a time. Throws if the store fails. An
 * unfinished file is never visible.
 */
export async function streamToR2(
  files: Files,
  key: string,
  body: ReadableStream<Uint8Array> | null,
  { size, format }: BodyFormat,
): Promise<Result<StoredBody, Failure>> {
  const options = { httpMetadata: { contentType: format } };
  const hash = new crypto.DigestStream("SHA-256");
  // If the digest is aborted, it rejects, but nothing awaits it.
  hash.digest.catch(() => {});
  const pipe = size === null ? null : new FixedLengthStream(size);
  const file = pipe?.writable.getWriter() ?? new Parts(files, key, options);
  const [copied, stored] = await Promise.allSettled([
    copyBody(body, size, [hash.getWriter(), file]),
    pipe === null ? null : putStream(files, key, pipe.readable, options),
  ]);
  if (copied.status === "rejected") {
    throw stored.status === "rejected" ? stored.reason : copied.reason;
  }
  if (!copied.value.ok) return copied.value;
  if (stored.status === "rejected") throw stored.reason;
  const sha256 = Buffer.from(await hash.digest).toString("hex");
  return ok({ size: copied.value.value, sha256 });
}

/**
 * Stores a stream. If the store fails without reading the stream, the stream is cancelled so its writer does not wait
 * forever.
 */
async function putStream(
  files: Files,
  key: string,
  stream: ReadableStream<Uint8Array>,
  options: R2PutOptions,
): Promise<void> {
  try {
    await files.put(key, stream, options);
  } catch (error) {
    // The caller receives the store's error even if the cancellation fails.
    if (!stream.locked) void stream.cancel(error).catch(() => {});
    throw error;
  }
}

/**
 * Copies a body to all sinks, closes them and returns the body's size. If the body is interrupted or has the wrong
 * length, the sinks are aborted.
 */
async function copyBody(
  body: ReadableStream<Uint8Array> | null,
  size: number | null,
  sinks: readonly Sink[],
): Promise<Result<number, Failure>> {
  const reader = body?.getReader() ?? null;
  let isCopied = false;
  try {
    const copied = await copyChunks(reader, size, sinks);
    if (copied.ok) await Promise.all(sinks.map((sink) => sink.close()));
    isCopied = copied.ok;
    return copied;
  } finally {
    if (!isCopied) {
      const error = new Error("The upload was aborted.");
      await Promise.allSettled([reader?.cancel(error), ...sinks.map((sink) => sink.abort(error))]);
    }
  }
}

/** Writes each chunk to all sinks before reading the next one. */
async function copyChunks(
  reader: ReadableStreamDefaultReader<Uint8Array> | null,
  size: number | null,
  sinks: readonly Sink[],
): Promise<Result<number, Failure>> {
  let read = 0;
  for (;;) {
    const next = await reader?.read().catch(() => null);
    if (next === null) return incompleteUpload(`the upload was interrupted after ${read} bytes`);
    if (next === undefined || next.done) break;
    read += next.value.byteLength;
    if (size === null && read > UPLOAD_BYTES_MAX) {
      return fail({ kind: "payload_too_large", bytesMax: UPLOAD_BYTES_MAX });
    }
    if (size !== null && read > size) {
      return incompleteUpload(`the body is longer than its Content-Length of ${size} bytes`);
    }
    await Promise.all(sinks.map((sink) => sink.write(next.value)));
  }
  if (size === null || read === size) return ok(read);
  return incompleteUpload(`the body ended after ${read} bytes, but Content-Length is ${size}`);
}

/** The failure for a body of the wrong length, which is not stored. */
function incompleteUpload(reason: string): Result<never, Failure> {
  return fail(createFieldFailure("body", `must be the complete file: ${reason}`));
}

/** A file written in parts. A file that fits into one part is written with a single request. */
class Parts implements Sink {
  readonly #files: Files;
  readonly #key: string;
  readonly #options: R2MultipartOptions;
  readonly #buffer = new Uint8Array(UPLOAD_PART_BYTES);
  readonly #uploaded: R2UploadedPart[] = [];
  #filled = 0;
  #upload: R2MultipartUpload | null = null;

  constructor(files: Files, key: string, options: R2MultipartOptions) {
    this.#files = files;
    this.#key = key;
    this.#options = options;
  }

  async write(chunk: Uint8Array): Promise<void> {
    for (let taken = 0; taken < chunk.byteLength;) {
      if (this.#filled === this.#buffer.byteLength) await this.#flush();
      const piece = chunk.subarray(taken, taken + this.#buffer.byteLength - this.#filled);
      this.#buffer.set(piece, this.#filled);
      this.#filled += piece.byteLength;
      taken += piece.byteLength;
    }
  }

  async close(): Promise<void> {
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
