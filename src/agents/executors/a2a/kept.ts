import { fail, ok, type Result } from "../../../domain/result.ts";
import { bytesOfBase64url } from "../../../bytes/base64.ts";

/** Where bytes came from: an answer to a look takes the place of the look before, a stream goes on. */
export type Source = "look" | "stream";

interface Entry {
  /** Null for what was no base64. */
  readonly bytes: Uint8Array | null;
  readonly source: Source;
}

/**
 * The bytes that came within answers, each under a URL of its own. Where there are more than `bytesMax`
 * of them together the oldest go first: what has come since says the same again, or says it better.
 */
export class Kept {
  readonly #bytesMax: number;
  readonly #prefix = `kept:${crypto.randomUUID()}/`;
  readonly #entries = new Map<string, Entry>();
  #count = 0;
  #sum = 0;

  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax;
  }

  /** All bytes that are kept at this moment. */
  get sum(): number {
    return this.#sum;
  }

  /** Keeps the bytes of this base64, and answers the URL that stands for them. */
  keep(base64: string, source: Source): string {
    const url = `${this.#prefix}${this.#count}`;
    this.#count += 1;
    const bytes = bytesOfBase64url(base64);
    this.#entries.set(url, { bytes, source });
    this.#sum += bytes?.byteLength ?? 0;
    for (const oldest of this.#entries.keys()) {
      if (this.#sum <= this.#bytesMax) break;
      this.#forget(oldest);
    }
    return url;
  }

  /** To be called before each answer to a look, so that no two of them are in memory at once. */
  forgetLooks(): void {
    for (const [url, { source }] of this.#entries) if (source === "look") this.#forget(url);
  }

  /** Null for a URL of the world; the failure completes "…, whose bytes …". */
  bytesAt(url: string): Result<Uint8Array, string> | null {
    if (!url.startsWith(this.#prefix)) return null;
    const entry = this.#entries.get(url);
    if (entry === undefined) return fail("did not come with the last answer");
    return entry.bytes === null ? fail("are not base64") : ok(entry.bytes);
  }

  #forget(url: string): void {
    this.#sum -= this.#entries.get(url)?.bytes?.byteLength ?? 0;
    this.#entries.delete(url);
  }
}
