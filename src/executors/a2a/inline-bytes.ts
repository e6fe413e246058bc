import { fail, ok, type Result } from "../../kernel/result.ts";
import { decodeBase64url } from "../../kernel/bytes.ts";
import { isJsonObject, type Json, type JsonObject } from "../../kernel/json.ts";

/**
 * Replaces the `raw` field of each part with a `url` from `storeBytes`, because the SDK accepts invalid base64 of any
 * size.
 */
export function extractInlineBytes(value: Json, storeBytes: (base64: string) => string): Json {
  if (Array.isArray(value)) return value.map((one) => extractInlineBytes(one, storeBytes));
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, one]) => {
      if (name === "parts" && Array.isArray(one))
        return [name, one.map((part) => extractPartBytes(part, storeBytes))];
      // Metadata is the agent's own data and can have any field names.
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

/** Where bytes came from. A polled response replaces the previous one; stream events add to earlier ones. */
export type InlineBytesSource = "poll" | "stream";

interface InlineBytesEntry {
  /** Null if the text was not valid base64. */
  readonly bytes: Uint8Array | null;
  readonly source: InlineBytesSource;
}

/**
 * The bytes in responses, by URL. If they exceed `bytesMax`, the oldest are dropped, because later responses repeat or
 * replace them.
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

  get totalBytes(): number {
    return this.#totalBytes;
  }

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

  /**
   * Call this before reading each polled response, so that the bytes of two polled responses are never in memory at
   * once.
   */
  deletePolled(): void {
    for (const [url, { source }] of this.#entries) if (source === "poll") this.#delete(url);
  }

  /** Null for an external URL. A failure completes the clause "whose bytes …". */
  find(url: string): Result<Uint8Array, string> | null {
    if (!url.startsWith(this.#prefix)) return null;
    const entry = this.#entries.get(url);
    if (entry === undefined) return fail("are not in the last response");
    return entry.bytes === null ? fail("are not valid base64") : ok(entry.bytes);
  }

  #delete(url: string): void {
    this.#totalBytes -= this.#entries.get(url)?.bytes?.byteLength ?? 0;
    this.#entries.delete(url);
  }
}
