import type { HttpConnector, HttpRequestTemplate, RemoteCall } from "../../model/connector.ts";
import { HTTP_TRIES_MAX, TOOL_RESPONSE_BYTES_MAX, TOOL_TIMEOUT_MAX_MS } from "../../limits.ts";
import { fail, ok, type Result } from "../../../kernel/result.ts";
import type { Egress, EgressFailure, EgressResponse } from "../../../platform/egress/contract.ts";
import type { ConnectorFailure, CallOutcome } from "../contract.ts";
import { buildToolRequestUrl } from "./request-url.ts";
import { toHttpCallOutcome } from "./response.ts";
import { buildToolRequestBody } from "./request-body.ts";
import {
  toConnectorFailure,
  rejectParameters,
  redactConnectorFailure,
  createUnsendableRequestFailure,
} from "../connector-failure.ts";
import { buildToolRequestHeaders } from "./request-headers.ts";
import { createRedactor } from "../../model/redaction.ts";
import {
  isRetryableStatus,
  isSafeMethod,
  parseRetryAfter,
  computeRetryDelayMs,
} from "../../../platform/egress/retry.ts";
import { hasLoneSurrogate } from "./parameter-styles.ts";

/**
 * Calls an HTTP API. The result is `{status, body, …}` (see toHttpCallOutcome). GET and HEAD are retried after
 * transient failures; other methods are sent once. `connector.timeoutMs` limits all attempts together. No outcome
 * contains the credential.
 */
export async function callHttp(
  egress: Egress,
  connector: HttpConnector,
  request: HttpRequestTemplate,
  call: RemoteCall,
): Promise<CallOutcome> {
  const prepared = await prepareRequest(connector, request, call);
  if (!prepared.ok) return prepared;
  const timeoutMs = Math.min(connector.timeoutMs, TOOL_TIMEOUT_MAX_MS);
  const endsAt = Date.now() + timeoutMs;
  const redaction = createRedactor(call.authorization);
  const triesMax = isSafeMethod(request.method) ? HTTP_TRIES_MAX : 1;
  for (let attempt = 1; ; attempt += 1) {
    const bounds = {
      timeoutMs: Math.max(1, endsAt - Date.now()),
      bytesMax: TOOL_RESPONSE_BYTES_MAX,
      sendsSecret: call.authorization !== null,
    };
    const sent = prepared.value();
    const answer = await egress.send(sent, bounds);
    const waitSeconds = answer.ok ? readRetryAfterSeconds(answer.value) : null;
    const delayMs = computeRetryDelayMs(attempt, Math.random(), waitSeconds);
    const isWorthwhile = attempt < triesMax && isRetryable(answer);
    if (!isWorthwhile || Date.now() + delayMs >= endsAt) {
      if (!answer.ok)
        return fail(redactConnectorFailure(toCallFailure(answer.failure, timeoutMs), redaction));
      const outcome = await toHttpCallOutcome(answer.value, request, redaction, waitSeconds);
      return answer.value.url === sent.url ? outcome : adjustForRedirect(outcome);
    }
    await new Promise((resolve) => setTimeout(resolve, delayMs));
  }
}

/** Builds a request for each attempt, because a body can be read only once. */
async function prepareRequest(
  connector: HttpConnector,
  request: HttpRequestTemplate,
  { parameters, authorization }: RemoteCall,
): Promise<Result<() => Request, ConnectorFailure>> {
  const misspelt = Object.entries(parameters).flatMap(([path, value]) =>
    hasLoneSurrogate(value)
      ? [{ path, message: "must be well-formed Unicode: a surrogate stands alone" }]
      : [],
  );
  if (misspelt.length > 0) return fail(rejectParameters(misspelt));
  const base = URL.parse(request.baseUrl ?? connector.baseUrl);
  if (base === null)
    return fail(createUnsendableRequestFailure("it has a base address that is no URL."));
  const url = await buildToolRequestUrl(base, request, parameters, authorization);
  const headers = buildToolRequestHeaders(connector.headers, request, parameters, authorization);
  const body = await buildToolRequestBody(request, parameters);
  if (!url.ok) return url;
  if (!headers.ok) return headers;
  if (!body.ok) return fail(rejectParameters(body.failure));
  const { method } = request;
  if (body.value === null) {
    headers.value.delete("Content-Type");
    return ok(() => new Request(url.value, { method, headers: headers.value }));
  }
  const { content, contentType, renamable } = body.value;
  if (!renamable || !headers.value.has("Content-Type")) {
    if (contentType === null) headers.value.delete("Content-Type");
    else headers.value.set("Content-Type", contentType);
  }
  return ok(() => new Request(url.value, { method, headers: headers.value, body: content }));
}

/** The last address deferred the request, but the first one may have processed it before it redirected. */
function adjustForRedirect(outcome: CallOutcome): CallOutcome {
  if (outcome.ok) return outcome;
  const { failure } = outcome;
  if (failure.kind === "broken") return fail({ ...failure, isUndone: false });
  // The redirect did not get the credential. Sending the request again would process it twice.
  return failure.kind === "unauthorized" ? fail({ ...failure, isFinal: true }) : outcome;
}

function readRetryAfterSeconds({ status, headers }: EgressResponse): number | null {
  const isAsked = status === 429 || status >= 500;
  return isAsked ? parseRetryAfter(headers.get("Retry-After"), Date.now()) : null;
}

function isRetryable(answer: Result<EgressResponse, EgressFailure>): boolean {
  return answer.ok ? isRetryableStatus(answer.value.status) : answer.failure.kind === "unreachable";
}

/** Report the timeout of the call, not the time that was left for the last attempt. */
function toCallFailure(fault: EgressFailure, timeoutMs: number): ConnectorFailure {
  return toConnectorFailure(fault.kind === "timeout" ? { kind: "timeout", timeoutMs } : fault);
}
