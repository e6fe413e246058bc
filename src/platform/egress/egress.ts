import { UnavailableError } from "../../kernel/failure.ts";
import { fail, ok, type Result } from "../../kernel/result.ts";
import { discardBody, limitBody, readAllBytes } from "./body.ts";
import {
  type Egress,
  EgressError,
  type EgressFailure,
  type EgressLimits,
  type EgressResponse,
} from "./contract.ts";
import { startTimeout, type RequestTimeout } from "./request-timeout.ts";
import { type FinalResponse, followRedirects } from "./redirects.ts";
import { createEgressGuard, type EgressGuard } from "./ssrf-guard.ts";

/** Encodings that the runtime decodes without removing the Content-Encoding header. */
const DECODED_ENCODINGS: ReadonlySet<string> = new Set(["gzip", "br"]);
/** The range of statuses that a Response accepts. */
const STATUS_MIN = 200;
const STATUS_MAX = 599;
const NULL_BODY_STATUSES: ReadonlySet<number> = new Set([204, 205, 304]);

/** A response's headers, corrected for its decoded body. */
function readDecodedHeaders(response: Response): Headers {
  const headers = new Headers(response.headers);
  if (DECODED_ENCODINGS.has(headers.get("Content-Encoding")?.trim().toLowerCase() ?? "")) {
    headers.delete("Content-Encoding");
    headers.delete("Content-Length");
  }
  return headers;
}

/** Copies a response with a different body. */
function rebuildResponse(
  { response: from, url }: FinalResponse,
  body: ReadableStream<Uint8Array> | null,
): Result<Response, EgressFailure> {
  const { status, statusText } = from;
  const isKnown = status >= STATUS_MIN && status <= STATUS_MAX;
  const isBodiless = !isKnown || NULL_BODY_STATUSES.has(status);
  if (isBodiless) discardBody(body);
  if (!isKnown) {
    const reason = `it returned status ${status}, which HTTP does not define`;
    return fail({ kind: "unreachable", reason });
  }
  const init = { status, statusText, headers: readDecodedHeaders(from) };
  const response = new Response(isBodiless ? null : body, init);
  // A constructed response has no URL, but libraries need one to detect redirects.
  return ok(Object.defineProperty(response, "url", { value: url.href }));
}

export type EgressEnv = Pick<Env, "ALLOW_PRIVATE_EGRESS" | "DNS_RESOLVER_URL">;

/**
 * Creates this deployment's egress. ALLOW_PRIVATE_EGRESS turns off the host checks and the https requirement for
 * secrets.
 */
export function createEgress(env: EgressEnv): Egress {
  return createGuardedEgress(createEgressGuard(env));
}

/** Creates an egress that checks addresses with a guard. */
export function createGuardedEgress(guard: EgressGuard): Egress {
  return {
    checkUrl: (text, sendsSecret) => checkUrl(text, sendsSecret, guard),
    send: (request, bounds) => sendRequest(request, bounds, guard),
    createFetch: (bounds) => createLimitedFetch(bounds, guard),
  };
}

async function checkUrl(
  text: string,
  sendsSecret: boolean,
  guard: EgressGuard,
): Promise<Result<URL, string>> {
  const url = URL.parse(text);
  if (url === null) return fail("must be an absolute URL, such as https://api.example.com/v1");
  const failure = await guard(url, sendsSecret, null);
  if (failure === null) return ok(url);
  if (failure.kind === "unreachable" && failure.isResolverOutage === true) {
    throw new UnavailableError("The DNS resolver", failure.reason);
  }
  const reason = "reason" in failure ? failure.reason : failure.kind;
  return fail(
    failure.kind === "rejected" ? reason : `must name a host that can be resolved: ${reason}`,
  );
}

async function sendRequest(
  request: Request,
  bounds: EgressLimits,
  guard: EgressGuard,
): Promise<Result<EgressResponse, EgressFailure>> {
  const deadline = startTimeout(bounds.timeoutMs, bounds.timeoutMs, request.signal);
  try {
    const result = await sendWithinLimits(request, guard, bounds, deadline);
    if (!result.ok) return result;
    const { response, url } = result.value;
    const bytes = await readAllBytes(limitResponseBody(response, bounds.bytesMax, deadline));
    return ok({
      status: response.status,
      headers: readDecodedHeaders(response),
      bytes,
      url: url.href,
    });
  } catch (error) {
    if (error instanceof EgressError) return fail(error.failure);
    throw error;
  } finally {
    deadline.clear();
  }
}

function createLimitedFetch(bounds: EgressLimits, guard: EgressGuard): typeof fetch {
  const { timeoutMs, bytesMax } = bounds;
  const endsAt = Date.now() + timeoutMs;
  return async (input, init) => {
    const request = new Request(input, init);
    const { signal } = request;
    signal.throwIfAborted();
    const deadline = startTimeout(endsAt - Date.now(), timeoutMs, signal);
    const result = await sendWithinLimits(request, guard, bounds, deadline);
    const answer = result.ok
      ? rebuildResponse(result.value, limitResponseBody(result.value.response, bytesMax, deadline))
      : result;
    if (answer.ok) return answer.value;
    deadline.clear();
    // A caller that aborts receives its own abort reason, as with any fetch.
    if (deadline.failure()?.kind !== "timeout") signal.throwIfAborted();
    throw new EgressError(answer.failure);
  };
}

/** Sends a request and follows redirects. A response whose Content-Length exceeds the limit is not read. */
async function sendWithinLimits(
  request: Request,
  guard: EgressGuard,
  { bytesMax, sendsSecret }: EgressLimits,
  deadline: RequestTimeout,
): Promise<Result<FinalResponse, EgressFailure>> {
  const checkHop = (url: URL) => guard(url, sendsSecret, deadline.signal);
  const result = await followRedirects(request, checkHop, deadline);
  if (!result.ok) return result;
  const { body, headers } = result.value.response;
  if (body === null || !(Number(headers.get("Content-Length")) > bytesMax)) return result;
  discardBody(body);
  return fail({ kind: "too_large", bytesMax });
}

function limitResponseBody(
  { body }: Response,
  bytesMax: number,
  deadline: RequestTimeout,
): ReadableStream<Uint8Array> | null {
  if (body !== null) return limitBody(body, bytesMax, deadline);
  deadline.clear();
  return null;
}
