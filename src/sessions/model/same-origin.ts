/** The request properties that decide whether a cookie may authorise it. */
export interface BrowserRequest {
  readonly method: string;
  /** The origin of the request's URL. */
  readonly origin: string;
  readonly header: (name: string) => string | undefined;
}

/** The header that only the console's own code can send, because other origins need a CORS preflight for it. */
const CONSOLE_HEADER = "X-Bosun-Console";

const READ_METHODS = new Set(["GET", "HEAD", "OPTIONS"]);
const JSON_TYPE = /^application\/json(?:;|$)/i;

/**
 * Why the session cookie may not authorise a request; null if it may. The request must come from a page of this origin,
 * and one that changes state must be JSON and have the console's header. Each check is required, not one of several.
 */
export function findCrossSiteProblem(request: BrowserRequest): string | null {
  if (!isSameOrigin(request)) return "it does not come from a page of this origin";
  if (READ_METHODS.has(request.method)) return null;
  if (request.header(CONSOLE_HEADER) !== "1") return `it lacks the header ${CONSOLE_HEADER}: 1`;
  return JSON_TYPE.test(request.header("Content-Type") ?? "")
    ? null
    : "its Content-Type is not application/json";
}

/** `Sec-Fetch-Site` decides; `Origin` only if that header is missing. Without both, the origin is unknown. */
export function isSameOrigin({ origin, header }: Omit<BrowserRequest, "method">): boolean {
  const site = header("Sec-Fetch-Site");
  return site === undefined ? header("Origin") === origin : site === "same-origin";
}
