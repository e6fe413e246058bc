import { REDIRECTS_MAX } from "../domain/limits.ts";
import { fail, ok, type Result } from "../domain/result.ts";
import { place } from "./address.ts";
import { discard } from "./body.ts";
import type { EgressFault } from "./contract.ts";
import type { Deadline } from "./deadline.ts";
import { astray, nextHop, redirection, type Hop } from "./redirect.ts";

/** An answer whose body is still to be read. */
export interface Landing {
  readonly response: Response;
  /** Where redirects have led. */
  readonly url: URL;
}

/** Headers that belong to the connection, which is the runtime's: `Upgrade` would leave HTTP. */
const OF_THE_CONNECTION = [
  "Accept-Encoding",
  "Connection",
  "Content-Length",
  "Expect",
  "Host",
  "Keep-Alive",
  "Proxy-Connection",
  "TE",
  "Trailer",
  "Transfer-Encoding",
  "Upgrade",
];

/** Sends a request and follows its redirects, each judged, unless it asks for them with `manual`. */
export async function follow(
  request: Request,
  judgeHop: (url: URL) => Promise<EgressFault | null>,
  deadline: Deadline,
): Promise<Result<Landing, EgressFault>> {
  let hop = await firstHop(request);
  for (let redirects = 0; ; redirects += 1) {
    const problem = await judgeHop(hop.url);
    if (problem !== null)
      return fail(deadline.fault() ?? (redirects === 0 ? unsent(problem) : problem));
    const response = await send(hop, deadline);
    if (response === null) return fail(deadline.fault() ?? noAnswer(hop.url));
    const location = redirection(response);
    if (location === null || request.redirect === "manual") return ok({ response, url: hop.url });
    discard(response.body);
    if (redirects === REDIRECTS_MAX) return fail(tooManyRedirects(hop.url));
    const next = nextHop(hop, response.status, location);
    if (!next.ok) return next;
    hop = next.value;
  }
}

/** The body is kept whole, since a redirect can ask for it once more; requests of tools are small. */
async function firstHop(request: Request): Promise<Hop> {
  const headers = new Headers(request.headers);
  for (const name of OF_THE_CONNECTION) headers.delete(name);
  const body = request.body === null ? null : await request.arrayBuffer();
  return { url: new URL(request.url), method: request.method, headers, body };
}

/** What the runtime says of a failed connection differs by its place and helps nobody: null. */
async function send(hop: Hop, deadline: Deadline): Promise<Response | null> {
  try {
    return await fetch(hop.url, {
      method: hop.method,
      headers: hop.headers,
      body: hop.body,
      redirect: "manual",
      // The platform's cache knows nothing of the credentials that an answer was given for.
      cache: "no-store",
      signal: deadline.signal,
    });
  } catch {
    return null;
  }
}

function noAnswer(url: URL): EgressFault {
  return { kind: "unreachable", reason: `the connection to ${place(url)} failed` };
}

function unsent(fault: EgressFault): EgressFault {
  return fault.kind === "unreachable" ? { ...fault, isUnsent: true } : fault;
}

function tooManyRedirects(url: URL): EgressFault {
  return astray(url, `redirects more than ${REDIRECTS_MAX} times`);
}
