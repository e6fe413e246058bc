import { fail, ok, type Result } from "../../kernel/result.ts";
import { decodeBase64url } from "../../kernel/bytes.ts";
import { isJsonObject, type Json, type JsonObject } from "../../kernel/json.ts";

/**
 * An answer of an agent with the bytes of its parts taken out of it: each `raw` becomes a `url` that
 * `keep` gives for its base64. The SDK would decode them with Node's Buffer, which is not there.
 */
export function extractInlineBytes(value: Json, storeBytes: (base64: string) => string): Json {
  if (Array.isArray(value)) return value.map((one) => extractInlineBytes(one, storeBytes));
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, one]) => {
      if (name === "parts" && Array.isArray(one))
        return [name, one.map((part) => extractPartBytes(part, storeBytes))];
      // What stands there is the agent's own, whatever its names.
      if (name === "metadata") return [name, one];
      return [name, extractInlineBytes(one, storeBytes)];
    }),
  );
}

function extractPartBytes(part: Json, storeBytes: (base64: string) => string): Json {
  if (!isJsonObject(part) || !isSet(part["raw"]) || isSet(part["text"])) return part;
  const { raw, ...rest }: JsonObject = part;
  return { ...rest, url: storeBytes(typeof raw === "string" ? raw : "") };
}

function isSet(value: Json | undefined): boolean {
  return value !== undefined && value !== null;
}

/** Where bytes came from: an answer to a look takes the place of the look before, a stream goes on. */
export type InlineBytesSource = "look" | "stream";

interface InlineBytesEntry {
  /** Null for what was no base64. */
  readonly bytes: Uint8Array | null;
  readonly source: InlineBytesSource;
}

/**
 * The bytes that came within answers, each under a URL of its own. Where there are more than `bytesMax`
 * of them together the oldest go first: what has come since says the same again, or says it better.
 */
export class InlineBytes {
  readonly #bytesMax: number;
  readonly #prefix = `kept:${crypto.randomUUID()}/`;
  readonly #entries = new Map<string, InlineBytesEntry>();
  #count = 0;
  #totalBytes = 0;

  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax;
  }

  /** All bytes that are kept at this moment. */
  get totalBytes(): number {
    return this.#totalBytes;
  }

  /** Keeps the bytes of this base64, and answers the URL that stands for them. */
  add(base64: string, source: InlineBytesSource): string {
    const url = `${this.#prefix}${this.#count}`;
    this.#count += 1;
    const bytes = decodeBase64url(base64);
    this.#entries.set(url, { bytes, source });
    this.#totalBytes += bytes?.byteLength ?? 0;
    for (const oldest of this.#entries.keys()) {
      if (this.#totalBytes <= this.#bytesMax) break;
      this.#delete(oldest);
    }
    return url;
  }

  /** To be called before each answer to a look, so that no two of them are in memory at once. */
  deletePolled(): void {
    for (const [url, { source }] of this.#entries) if (source === "look") this.#delete(url);
  }

  /** Null for a URL of the world; the failure completes "…, whose bytes …". */
  find(url: string): Result<Uint8Array, string> | null {
    if (!url.startsWith(this.#prefix)) return null;
    const entry = this.#entries.get(url);
    if (entry === undefined) return fail("did not come with the last answer");
    return entry.bytes === null ? fail("are not base64") : ok(entry.bytes);
  }

  #delete(url: string): void {
    this.#totalBytes -= this.#entries.get(url)?.bytes?.byteLength ?? 0;
    this.#entries.delete(url);
  }
}
