import { Outage } from "../domain/outage.ts";
import { fail, ok, type Result } from "../domain/result.ts";
import { boundedBody, discard, readWhole } from "./body.ts";
import {
  EgressError,
  type Bounds,
  type Egress,
  type EgressFault,
  type Exchange,
} from "./contract.ts";
import { startDeadline, type Deadline } from "./deadline.ts";
import { follow, type Landing } from "./follow.ts";
import { judgeOf, type Judge } from "./judge.ts";
import { asResponse, headersOf } from "./response.ts";

/** The way out as this deployment sets it up: ALLOW_PRIVATE_EGRESS leaves out the judgement of hosts alone. */
export function egressOf(env: Pick<Env, "ALLOW_PRIVATE_EGRESS" | "DNS_RESOLVER_URL">): Egress {
  return egressBy(judgeOf(env));
}

/** The way out under a judgement of addresses. */
export function egressBy(judge: Judge): Egress {
  return {
    check: (text, sendsSecret) => check(text, sendsSecret, judge),
    exchange: (request, bounds) => exchange(request, bounds, judge),
    fetchWithin: (bounds) => fetchWithin(bounds, judge),
  };
}

async function check(
  text: string,
  sendsSecret: boolean,
  judge: Judge,
): Promise<Result<URL, string>> {
  const url = URL.parse(text);
  if (url === null) return fail("must be a whole URL, such as https://api.example.com/v1");
  const fault = await judge(url, sendsSecret, null);
  if (fault === null) return ok(url);
  if (fault.kind === "unreachable" && fault.isResolverOutage === true) {
    throw new Outage("The DNS resolver", fault.reason);
  }
  const reason = "reason" in fault ? fault.reason : fault.kind;
  return fail(fault.kind === "refused" ? reason : `must name a host that can be found: ${reason}`);
}

async function exchange(
  request: Request,
  bounds: Bounds,
  judge: Judge,
): Promise<Result<Exchange, EgressFault>> {
  const deadline = startDeadline(bounds.timeoutMs, bounds.timeoutMs, request.signal);
  try {
    const landed = await land(request, judge, bounds, deadline);
    if (!landed.ok) return landed;
    const { response, url } = landed.value;
    const bytes = await readWhole(bodyOf(response, bounds.bytesMax, deadline));
    return ok({ status: response.status, headers: headersOf(response), bytes, url: url.href });
  } catch (error) {
    if (error instanceof EgressError) return fail(error.fault);
    throw error;
  } finally {
    deadline.clear();
  }
}

function fetchWithin(bounds: Bounds, judge: Judge): typeof fetch {
  const { timeoutMs, bytesMax } = bounds;
  const endsAt = Date.now() + timeoutMs;
  return async (input, init) => {
    const request = new Request(input, init);
    const { signal } = request;
    signal.throwIfAborted();
    const deadline = startDeadline(endsAt - Date.now(), timeoutMs, signal);
    const landed = await land(request, judge, bounds, deadline);
    const answer = landed.ok
      ? asResponse(landed.value, bodyOf(landed.value.response, bytesMax, deadline))
      : landed;
    if (answer.ok) return answer.value;
    deadline.clear();
    // A caller who called it off gets its own reason back, as from any fetch.
    if (deadline.fault()?.kind !== "timeout") signal.throwIfAborted();
    throw new EgressError(answer.failure);
  };
}

/** Follows a request to its answer; one that announces more bytes than it may have is not read at all. */
async function land(
  request: Request,
  judge: Judge,
  { bytesMax, sendsSecret }: Bounds,
  deadline: Deadline,
): Promise<Result<Landing, EgressFault>> {
  const judgeHop = (url: URL) => judge(url, sendsSecret, deadline.signal);
  const landed = await follow(request, judgeHop, deadline);
  if (!landed.ok) return landed;
  const { body, headers } = landed.value.response;
  if (body === null || !(Number(headers.get("Content-Length")) > bytesMax)) return landed;
  discard(body);
  return fail({ kind: "too_large", bytesMax });
}

function bodyOf(
  { body }: Response,
  bytesMax: number,
  deadline: Deadline,
): ReadableStream<Uint8Array> | null {
  if (body !== null) return boundedBody(body, bytesMax, deadline);
  deadline.clear();
  return null;
}
