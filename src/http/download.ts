import { DOWNLOAD_LINK_MS } from "../domain/limits.ts";
import { bearsKey } from "./auth.ts";
import { servedType } from "./charset.ts";
import type { AppContext } from "./context.ts";
import { isSigned, sign } from "./signature.ts";

const USE = "download";

/** The query parameters of a signed link. */
export const LINK_PARAMETERS = ["expires", "signature"] as const;

/** The query that opens a file without a key until it expires. `names` say which file it is. */
export function signedQuery(secret: string, names: readonly string[], now: number): string {
  const expires = String(Math.floor((now + DOWNLOAD_LINK_MS) / 1_000));
  const signature = sign(secret, USE, signedText(names, expires));
  return new URLSearchParams({ expires, signature }).toString();
}

/** Whether a link's query was made by this service for this very file and has not expired. */
export function isGoodLink(
  secret: string,
  names: readonly string[],
  query: URLSearchParams,
  now: number,
): boolean {
  if (LINK_PARAMETERS.some((name) => query.getAll(name).length > 1)) return false;
  const expires = query.get("expires") ?? "";
  const signature = query.get("signature") ?? "";
  const signed = isSigned(secret, USE, signedText(names, expires), signature);
  return signed && Number(expires) * 1_000 > now;
}

/** Whether a request follows a signed link to a path, which stands for a key. */
export function followsLink(c: AppContext, path: RegExp): boolean {
  const reads = c.req.method === "GET" || c.req.method === "HEAD";
  return reads && path.test(c.req.path) && c.req.query("signature") !== undefined && !bearsKey(c);
}

/** A file as an answer: an attachment that no browser runs, guesses the type of or frames. */
export function fileResponse(
  file: { readonly name: string; readonly format: string },
  body: ReadableStream | Uint8Array,
  size: number,
): Response {
  const plainName = file.name.replaceAll(/[^\w.-]/g, "_");
  return new Response(body, {
    headers: {
      "Content-Type": servedType(file.format),
      "Content-Length": String(size),
      "Content-Disposition": `attachment; filename="${plainName}"; filename*=UTF-8''${extendedValue(file.name)}`,
      "Content-Security-Policy":
        "sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src data:",
      "X-Content-Type-Options": "nosniff",
      "Cache-Control": "private, no-store",
    },
  });
}

/** A value encoded as RFC 8187 requires, including four characters that encodeURIComponent keeps. */
function extendedValue(text: string): string {
  return encodeURIComponent(text).replaceAll(
    /['()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

function signedText(names: readonly string[], expires: string): string {
  return [...names, expires].join("\n");
}
