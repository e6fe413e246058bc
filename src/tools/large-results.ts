import { randomBytes } from "node:crypto";
import type { Failure } from "../kernel/failure.ts";
import { sha256Hex } from "../platform/crypto/hash.ts";
import type { JsonObject } from "../kernel/json.ts";
import { DOWNLOAD_LINK_MS } from "../http/limits.ts";
import { RESULT_PREVIEW_CHARACTERS_MAX } from "./limits.ts";
import { fail, ok, type Result } from "../kernel/result.ts";
import { createFileResponse, isValidSignedLink, createSignedQuery } from "../http/downloads.ts";
import { log } from "../platform/log.ts";

const ID_BYTES = 16;

type ResultEnv = Pick<Env, "FILES" | "SIGNING_KEY">;

/**
 * Replaces a large result with its beginning, its size, its SHA-256 and a link that works for an hour without a key.
 */
export async function offloadLargeResult(
  env: ResultEnv,
  origin: string,
  toolId: string,
  result: JsonObject,
): Promise<JsonObject> {
  const text = JSON.stringify(result);
  const bytes = new TextEncoder().encode(text);
  const summary = {
    oversized: true,
    preview: text.slice(0, RESULT_PREVIEW_CHARACTERS_MAX).toWellFormed(),
    size: bytes.byteLength,
    sha256: await sha256Hex(bytes),
  };
  const id = randomBytes(ID_BYTES).toString("hex");
  try {
    const httpMetadata = { contentType: "application/json" };
    await env.FILES.put(resultKey(toolId, id), bytes, { httpMetadata });
  } catch (error) {
    // The call was made and must be paid for, so return the summary without a link.
    log.error("result_write_failed", { toolId, error });
    return { ...summary, downloadUrl: null };
  }
  const now = Date.now();
  const query = createSignedQuery(env.SIGNING_KEY, [LINK_PURPOSE, toolId, id], now);
  return {
    ...summary,
    downloadUrl: `${origin}/agents/tools/${encodeURIComponent(toolId)}/results/${id}?${query}`,
    expiresAt: new Date(now + DOWNLOAD_LINK_MS).toISOString(),
  };
}

/** Returns the file of a stored result. Only a signed link gives access to it. */
export async function readStoredResult(
  env: ResultEnv,
  toolId: string,
  id: string,
  query: URLSearchParams,
): Promise<Result<Response, Failure>> {
  if (!isValidSignedLink(env.SIGNING_KEY, [LINK_PURPOSE, toolId, id], query, Date.now())) {
    const reason = "This link is not valid or has expired; invoke the tool again for a new one.";
    return fail({ kind: "unauthenticated", reason });
  }
  const stored = await env.FILES.get(resultKey(toolId, id));
  if (stored === null) return fail({ kind: "not_found", what: "result", id });
  const file = { name: `${toolId}-${id}.json`, format: "application/json" };
  return ok(createFileResponse(file, stored.body, stored.size));
}

/** Distinguishes links to results from links to deliverables. */
const LINK_PURPOSE = "result";

function resultKey(toolId: string, id: string): string {
  return `results/${toolId}/${id}`;
}
