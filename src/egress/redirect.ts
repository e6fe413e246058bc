import { fail, ok, type Result } from "../domain/result.ts";
import { place } from "./address.ts";
import type { EgressFault } from "./contract.ts";

/** One request on its way; redirects turn it into the next. */
export interface Hop {
  readonly url: URL;
  readonly method: string;
  readonly headers: Headers;
  readonly body: ArrayBuffer | null;
}

const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);
/** A credential can sit in a header of any name, so to another origin go only those that cannot be one. */
const HARMLESS = ["Accept", "Accept-Language", "Content-Type", "User-Agent"];
const OF_THE_BODY = ["Content-Encoding", "Content-Language", "Content-Location", "Content-Type"];

/** Where an answer redirects to, as it says it; null for an answer that is none. */
export function redirection(response: Response): string | null {
  return REDIRECTS.has(response.status) ? response.headers.get("Location") : null;
}

/** The request after a redirect, by the rules of the Fetch standard and stricter across origins. */
export function nextHop(hop: Hop, status: number, location: string): Result<Hop, EgressFault> {
  const url = URL.parse(location, hop.url.href);
  const from = place(hop.url);
  if (url === null) return fail(astray(hop.url, "redirects to something that is not a URL"));
  if (hop.url.protocol === "https:" && url.protocol === "http:") {
    const reason = `is where ${from} redirects to, down from https to http, which is not followed`;
    return fail(astray(url, reason));
  }
  const toGet = turnsToGet(hop.method, status);
  const body = toGet ? null : hop.body;
  const crosses = url.origin !== hop.url.origin;
  if (crosses && body !== null) {
    const reason = `is where ${from} redirects a request with a body, which is not sent on to another origin; use the new address itself`;
    return fail(astray(url, reason));
  }
  const headers = crosses ? harmless(hop.headers) : new Headers(hop.headers);
  if (toGet) for (const name of OF_THE_BODY) headers.delete(name);
  return ok({ url, method: toGet ? "GET" : hop.method, headers, body });
}

/** A redirect that cannot be followed; the system's own doing, whatever the request named. */
export function astray(url: URL, reason: string): EgressFault {
  return { kind: "refused", because: "redirect", url: place(url), reason };
}

function turnsToGet(method: string, status: number): boolean {
  if (status === 303) return method !== "GET" && method !== "HEAD";
  return method === "POST" && (status === 301 || status === 302);
}

function harmless(headers: Headers): Headers {
  const kept = new Headers();
  for (const name of HARMLESS) {
    const value = headers.get(name);
    if (value !== null) kept.set(name, value);
  }
  return kept;
}
