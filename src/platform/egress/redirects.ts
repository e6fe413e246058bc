import { EGRESS_REMOVED_HEADERS } from "../../kernel/header-name.ts";
import { REDIRECTS_MAX } from "../limits.ts";
import { fail, ok, type Result } from "../../kernel/result.ts";
import { redactUrl } from "./ssrf-guard.ts";
import { discardBody } from "./body.ts";
import type { EgressFailure } from "./contract.ts";
import type { RequestTimeout } from "./request-timeout.ts";

/** One request in a chain of redirects. */
export interface RequestHop {
  readonly url: URL;
  readonly method: string;
  readonly headers: Headers;
  readonly body: ArrayBuffer | null;
}

const REDIRECT_STATUSES: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);
/** Only these headers are forwarded to another origin, because any other header may contain a credential. */
const SAFE_HEADERS = new Set(["accept", "accept-language", "content-type", "user-agent"]);
const BODY_HEADERS = ["Content-Encoding", "Content-Language", "Content-Location", "Content-Type"];

/** The Location of a redirect; null for any other response. */
function readRedirectLocation(response: Response): string | null {
  return REDIRECT_STATUSES.has(response.status) ? response.headers.get("Location") : null;
}

/**
 * Builds the request that follows a redirect, according to the Fetch standard but with stricter rules across origins.
 */
export function buildNextHop(
  hop: RequestHop,
  status: number,
  location: string,
): Result<RequestHop, EgressFailure> {
  const url = URL.parse(location, hop.url.href);
  const from = redactUrl(hop.url);
  if (url === null)
    return fail(createRedirectFailure(hop.url, "redirects to something that is not a URL"));
  if (hop.url.protocol === "https:" && url.protocol === "http:") {
    const reason = `is the target of a redirect from ${from}, but redirects from https to http are not followed`;
    return fail(createRedirectFailure(url, reason));
  }
  const toGet = changesToGet(hop.method, status);
  const body = toGet ? null : hop.body;
  const crosses = url.origin !== hop.url.origin;
  if (crosses && body !== null) {
    const reason = `is the target of a redirect from ${from}, but request bodies are not forwarded to another origin; configure the new address instead`;
    return fail(createRedirectFailure(url, reason));
  }
  const sent = [...hop.headers].filter(([name]) => !crosses || SAFE_HEADERS.has(name));
  const headers = new Headers(sent);
  if (toGet) for (const name of BODY_HEADERS) headers.delete(name);
  return ok({ url, method: toGet ? "GET" : hop.method, headers, body });
}

/** A redirect that cannot be followed, which counts as a failure of the other system. */
function createRedirectFailure(url: URL, reason: string): EgressFailure {
  return { kind: "rejected", because: "redirect", url: redactUrl(url), reason };
}

function changesToGet(method: string, status: number): boolean {
  if (status === 303) return method !== "GET" && method !== "HEAD";
  return method === "POST" && (status === 301 || status === 302);
}

/** A response whose body has not been read. */
export interface FinalResponse {
  readonly response: Response;
  /** The URL after redirects. */
  readonly url: URL;
}

/** Sends a request and follows its redirects after checking each one, unless `redirect` is `manual`. */
export async function followRedirects(
  request: Request,
  checkHop: (url: URL) => Promise<EgressFailure | null>,
  deadline: RequestTimeout,
): Promise<Result<FinalResponse, EgressFailure>> {
  let hop = await buildFirstHop(request);
  for (let redirects = 0; ; redirects += 1) {
    const problem = await checkHop(hop.url);
    if (problem !== null)
      return fail(deadline.failure() ?? (redirects === 0 ? markUnsent(problem) : problem));
    const response = await sendHop(hop, deadline);
    if (response === null) {
      const reason = `the connection to ${redactUrl(hop.url)} failed`;
      return fail(deadline.failure() ?? { kind: "unreachable", reason });
    }
    const location = readRedirectLocation(response);
    if (location === null || request.redirect === "manual") return ok({ response, url: hop.url });
    discardBody(response.body);
    if (redirects === REDIRECTS_MAX) {
      return fail(createRedirectFailure(hop.url, `redirects more than ${REDIRECTS_MAX} times`));
    }
    const next = buildNextHop(hop, response.status, location);
    if (!next.ok) return next;
    hop = next.value;
  }
}

/** Keeps the body because a redirect may need it again; tool requests are small. */
async function buildFirstHop(request: Request): Promise<RequestHop> {
  const headers = new Headers(request.headers);
  for (const name of EGRESS_REMOVED_HEADERS) headers.delete(name);
  const body = request.body === null ? null : await request.arrayBuffer();
  return { url: new URL(request.url), method: request.method, headers, body };
}

/** Returns null if the connection fails, because the runtime's message varies and is not helpful. */
async function sendHop(hop: RequestHop, deadline: RequestTimeout): Promise<Response | null> {
  try {
    return await fetch(hop.url, {
      method: hop.method,
      headers: hop.headers,
      body: hop.body,
      redirect: "manual",
      // Cloudflare's cache would ignore the request's credentials.
      cache: "no-store",
      signal: deadline.signal,
    });
  } catch {
    return null;
  }
}

function markUnsent(failure: EgressFailure): EgressFailure {
  return failure.kind === "unreachable" ? { ...failure, isUnsent: true } : failure;
}
