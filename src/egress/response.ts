import { fail, ok, type Result } from "../domain/result.ts";
import { discard } from "./body.ts";
import type { EgressFault } from "./contract.ts";
import type { Landing } from "./follow.ts";

/** What the runtime unpacks by itself while it leaves the header in place. */
const UNPACKED: ReadonlySet<string> = new Set(["gzip", "br"]);
/** Those that a Response can have. */
const STATUS_MIN = 200;
const STATUS_MAX = 599;
const BODILESS: ReadonlySet<number> = new Set([204, 205, 304]);

/** The headers of an answer as they are true of its unpacked bytes. */
export function headersOf(response: Response): Headers {
  const headers = new Headers(response.headers);
  if (UNPACKED.has(headers.get("Content-Encoding")?.trim().toLowerCase() ?? "")) {
    headers.delete("Content-Encoding");
    headers.delete("Content-Length");
  }
  return headers;
}

/** An answer with another body in its place. */
export function asResponse(
  { response: from, url }: Landing,
  body: ReadableStream<Uint8Array> | null,
): Result<Response, EgressFault> {
  const { status, statusText } = from;
  const isKnown = status >= STATUS_MIN && status <= STATUS_MAX;
  const isBodiless = !isKnown || BODILESS.has(status);
  if (isBodiless) discard(body);
  if (!isKnown) {
    const reason = `it answered with the status ${status}, which HTTP does not know`;
    return fail({ kind: "unreachable", reason });
  }
  const init = { status, statusText, headers: headersOf(from) };
  const response = new Response(isBodiless ? null : body, init);
  // A response that is made has no address, and libraries judge redirects by it.
  return ok(Object.defineProperty(response, "url", { value: url.href }));
}
