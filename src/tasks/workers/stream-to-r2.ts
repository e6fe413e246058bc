import type { Failure } from "../../kernel/failure.ts";
import { toHex } from "../../kernel/bytes.ts";
import { fail, ok, type Result } from "../../kernel/result.ts";
import {
  incompleteUpload,
  interruptedUpload,
  uploadInParts,
  type StoredBody,
} from "./multipart-upload.ts";

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
  return ok({ size, sha256: toHex(new Uint8Array(digest.value)) });
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
