import { createFieldFailure, type Failure } from "../../kernel/failure.ts";
import { toHex } from "../../kernel/bytes.ts";
import { UPLOAD_BYTES_MAX, UPLOAD_PART_BYTES } from "../limits.ts";
import { fail, ok, type Result } from "../../kernel/result.ts";

/** A stored body: `size` in bytes, `sha256` in hex. */
export interface StoredBody {
  readonly size: number;
  readonly sha256: string;
}

/** The failure of an incomplete body, which is not stored. */
export function interruptedUpload(bytesRead: number): Failure {
  return incompleteUpload(`it broke off after ${bytesRead} bytes`);
}

export function incompleteUpload(reason: string): Failure {
  return createFieldFailure("body", `must be the whole file: ${reason}`);
}

/**
 * Stores a body of unknown length under `key` in parts of equal size: R2 accepts no other stream of unknown
 * length. Memory holds one part. A body that is too large or incomplete leaves nothing in the store.
 */
export async function uploadInParts(
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
      // oxlint-disable-next-line no-await-in-loop -- the next chunk is read after this one is stored
      const next = await reader?.read().catch(() => null);
      if (next === null) return fail(interruptedUpload(size));
      if (next === undefined || next.done) break;
      size += next.value.byteLength;
      if (size > UPLOAD_BYTES_MAX) {
        return fail({ kind: "payload_too_large", bytesMax: UPLOAD_BYTES_MAX });
      }
      // oxlint-disable-next-line no-await-in-loop -- as above
      await Promise.all([hashing.write(next.value), parts.add(next.value)]);
    }
    await hashing.close();
    const sha256 = toHex(new Uint8Array(await hash.digest));
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
        // oxlint-disable-next-line no-await-in-loop -- the buffer is reused after its part is stored
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
