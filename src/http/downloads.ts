import { DOWNLOAD_LINK_MS } from "./limits.ts";
import { hasAuthorizationHeader } from "./middleware.ts";
import { removeUnknownCharset } from "../kernel/media-type.ts";
import type { AppContext } from "./envelope.ts";
import { verifyHmac, signHmac } from "../platform/crypto/hash.ts";

const SIGNATURE_PURPOSE = "download";

export const SIGNED_LINK_PARAMETERS = ["expires", "signature"] as const;

/**
 * Creates the query string of a signed link. Until the link expires, it gives access to a file without a key. `names`
 * identifies the file.
 */
export function createSignedQuery(secret: string, names: readonly string[], now: number): string {
  const expires = String(Math.floor((now + DOWNLOAD_LINK_MS) / 1_000));
  const signature = signHmac(secret, SIGNATURE_PURPOSE, signedTextOf(names, expires));
  return new URLSearchParams({ expires, signature }).toString();
}

/** Whether this service signed the link for this file and the link has not expired. */
export function isValidSignedLink(
  secret: string,
  names: readonly string[],
  query: URLSearchParams,
  now: number,
): boolean {
  if (SIGNED_LINK_PARAMETERS.some((name) => query.getAll(name).length > 1)) return false;
  const expires = query.get("expires") ?? "";
  const signature = query.get("signature") ?? "";
  const signed = verifyHmac(secret, SIGNATURE_PURPOSE, signedTextOf(names, expires), signature);
  return signed && Number(expires) * 1_000 > now;
}

/** Whether a request for this path uses a signed link instead of a key. */
export function hasSignedLink(c: AppContext, path: RegExp): boolean {
  const reads = c.req.method === "GET" || c.req.method === "HEAD";
  return (
    reads &&
    path.test(c.req.path) &&
    c.req.query("signature") !== undefined &&
    !hasAuthorizationHeader(c)
  );
}

/**
 * Creates a response that sends a file as an attachment, with headers that stop browsers from running it or guessing
 * its type.
 */
export function createFileResponse(
  file: { readonly name: string; readonly format: string },
  body: ReadableStream | Uint8Array,
  size: number,
): Response {
  const plainName = file.name.replaceAll(/[^\w.-]/g, "_");
  return new Response(body, {
    headers: {
      "Content-Type": removeUnknownCharset(file.format),
      "Content-Length": String(size),
      "Content-Disposition": `attachment; filename="${plainName}"; filename*=UTF-8''${encodeExtendedValue(file.name)}`,
      "Content-Security-Policy":
        "sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src data:",
      "X-Content-Type-Options": "nosniff",
      "Cache-Control": "private, no-store",
    },
  });
}

/** Encodes a value as RFC 8187 requires, including four characters that encodeURIComponent leaves unchanged. */
function encodeExtendedValue(text: string): string {
  return encodeURIComponent(text).replaceAll(
    /['()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

function signedTextOf(names: readonly string[], expires: string): string {
  return [...names, expires].join("\n");
}
