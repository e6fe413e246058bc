import type { Failure } from "../domain/failure.ts";
import { sha256 } from "../bytes/sha256.ts";
import { hex } from "../domain/hex.ts";
import type { JsonObject } from "../domain/json.ts";
import {
  DOWNLOAD_LINK_MS,
  RESULT_INLINE_BYTES_MAX,
  RESULT_PREVIEW_CHARACTERS_MAX,
} from "../domain/limits.ts";
import { fail, ok, type Result } from "../domain/result.ts";
import { fileResponse, isGoodLink, signedQuery } from "../http/download.ts";

const ID_BYTES = 16;

type ResultEnv = Pick<Env, "FILES" | "SIGNING_KEY">;

/**
 * A result as it is answered. One over 128 KiB is stored as a file, and in its place go its beginning,
 * size in bytes, SHA-256 and a link that works for an hour without a key.
 */
export async function answerable(
  env: ResultEnv,
  origin: string,
  toolId: string,
  result: JsonObject,
): Promise<JsonObject> {
  const text = JSON.stringify(result);
  const bytes = new TextEncoder().encode(text);
  if (bytes.byteLength <= RESULT_INLINE_BYTES_MAX) return result;
  return {
    oversized: true,
    preview: text.slice(0, RESULT_PREVIEW_CHARACTERS_MAX).toWellFormed(),
    size: bytes.byteLength,
    sha256: await sha256(bytes),
    ...(await linkTo(env, origin, toolId, bytes)),
  };
}

/** The link to a stored result. The call was made and paid: without a store it is answered without one. */
async function linkTo(
  env: ResultEnv,
  origin: string,
  toolId: string,
  bytes: Uint8Array,
): Promise<JsonObject> {
  const id = hex(crypto.getRandomValues(new Uint8Array(ID_BYTES)));
  try {
    const httpMetadata = { contentType: "application/json" };
    await env.FILES.put(keyOf(toolId, id), bytes, { httpMetadata });
  } catch (error) {
    console.error({ event: "result_not_stored", toolId, error });
    return { downloadUrl: null };
  }
  const now = Date.now();
  const query = signedQuery(env.SIGNING_KEY, [USE, toolId, id], now);
  return {
    downloadUrl: `${origin}/agents/tools/${encodeURIComponent(toolId)}/results/${id}?${query}`,
    expiresAt: new Date(now + DOWNLOAD_LINK_MS).toISOString(),
  };
}

/** The file behind the link of an oversized result; nothing but the link opens it. */
export async function readResult(
  env: ResultEnv,
  toolId: string,
  id: string,
  query: URLSearchParams,
): Promise<Result<Response, Failure>> {
  if (!isGoodLink(env.SIGNING_KEY, [USE, toolId, id], query, Date.now())) {
    const reason = "This link is not valid or has expired; invoke the tool again for a new one.";
    return fail({ kind: "unauthenticated", reason });
  }
  const stored = await env.FILES.get(keyOf(toolId, id));
  if (stored === null) return fail({ kind: "not_found", what: "result", id });
  const file = { name: `${toolId}-${id}.json`, format: "application/json" };
  return ok(fileResponse(file, stored.body, stored.size));
}

/** Keeps these links apart from those of deliverables. */
const USE = "result";

function keyOf(toolId: string, id: string): string {
  return `results/${toolId}/${id}`;
}
