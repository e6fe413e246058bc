import type { HttpConnector, HttpRequest, OutsideCall } from "../../domain/connector.ts";
import {
  HTTP_TRIES_MAX,
  TOOL_RESPONSE_BYTES_MAX,
  TOOL_TIMEOUT_MAX_MS,
} from "../../domain/limits.ts";
import { fail, ok, type Result } from "../../domain/result.ts";
import type { Egress, EgressFault, Exchange } from "../../egress/contract.ts";
import type { CallFault, CallOutcome } from "./contract.ts";
import { addressOf } from "./http/address.ts";
import { judge } from "./http/answer.ts";
import { bodyOf } from "./http/body.ts";
import { faultOfEgress, parametersFault, redactedFault, unsendable } from "./http/fault.ts";
import { headersOf } from "./http/headers.ts";
import { redactionOf } from "../../secrets/redact.ts";
import { isPassing, isSafe, retryAfterSeconds, retryDelayMs } from "./http/retry.ts";
import { isBrokenText } from "./http/text.ts";

/**
 * One call of an HTTP API. The result is `{status, body, …}` (see `judge`). GET and HEAD are tried
 * again after passing faults, everything else goes out exactly once; `connector.timeoutMs` bounds
 * all tries together. The call's credential appears in no outcome.
 */
export async function runHttp(
  egress: Egress,
  connector: HttpConnector,
  request: HttpRequest,
  call: OutsideCall,
): Promise<CallOutcome> {
  const prepared = await prepare(connector, request, call);
  if (!prepared.ok) return prepared;
  const timeoutMs = Math.min(connector.timeoutMs, TOOL_TIMEOUT_MAX_MS);
  const endsAt = Date.now() + timeoutMs;
  const redaction = redactionOf(call.authorisation);
  const triesMax = isSafe(request.method) ? HTTP_TRIES_MAX : 1;
  for (let attempt = 1; ; attempt += 1) {
    const bounds = {
      timeoutMs: Math.max(1, endsAt - Date.now()),
      bytesMax: TOOL_RESPONSE_BYTES_MAX,
      sendsSecret: call.authorisation !== null,
    };
    const sent = prepared.value();
    const answer = await egress.exchange(sent, bounds);
    const waitSeconds = answer.ok ? askedSeconds(answer.value) : null;
    const delayMs = retryDelayMs(attempt, Math.random(), waitSeconds);
    const isWorthwhile = attempt < triesMax && isPassingFault(answer);
    if (!isWorthwhile || Date.now() + delayMs >= endsAt) {
      if (!answer.ok) return fail(redactedFault(faultOf(answer.failure, timeoutMs), redaction));
      const outcome = await judge(answer.value, request, redaction, waitSeconds);
      return answer.value.url === sent.url ? outcome : afterRedirect(outcome);
    }
    await new Promise((resolve) => setTimeout(resolve, delayMs));
  }
}

/** Makes the request anew for each try, since a body can be read only once. */
async function prepare(
  connector: HttpConnector,
  request: HttpRequest,
  { parameters, authorisation }: OutsideCall,
): Promise<Result<() => Request, CallFault>> {
  const misspelt = Object.entries(parameters).flatMap(([path, value]) =>
    isBrokenText(value)
      ? [{ path, message: "must be well-formed Unicode: a surrogate stands alone" }]
      : [],
  );
  if (misspelt.length > 0) return fail(parametersFault(misspelt));
  const base = URL.parse(request.baseUrl ?? connector.baseUrl);
  if (base === null) return fail(unsendable("it has a base address that is no URL."));
  const url = await addressOf(base, request, parameters, authorisation);
  const headers = headersOf(connector.headers, request, parameters, authorisation);
  const body = await bodyOf(request, parameters);
  if (!url.ok) return url;
  if (!headers.ok) return headers;
  if (!body.ok) return fail(parametersFault(body.failure));
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

/** A "not now" is of the last address alone: the first one may have done its work and sent us on. */
function afterRedirect(outcome: CallOutcome): CallOutcome {
  if (outcome.ok) return outcome;
  const { failure } = outcome;
  if (failure.kind === "broken") return fail({ ...failure, isUndone: false });
  // The credential stayed behind; sending all again with a new one would do the work twice.
  return failure.kind === "unauthorised" ? fail({ ...failure, isFinal: true }) : outcome;
}

function askedSeconds({ status, headers }: Exchange): number | null {
  const isAsked = status === 429 || status >= 500;
  return isAsked ? retryAfterSeconds(headers.get("Retry-After"), Date.now()) : null;
}

function isPassingFault(answer: Result<Exchange, EgressFault>): boolean {
  return answer.ok ? isPassing(answer.value.status) : answer.failure.kind === "unreachable";
}

/** What is left of the call's time for the last try tells nobody anything. */
function faultOf(fault: EgressFault, timeoutMs: number): CallFault {
  return faultOfEgress(fault.kind === "timeout" ? { kind: "timeout", timeoutMs } : fault);
}
