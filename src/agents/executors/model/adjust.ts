import { isJsonObject, type Json, type JsonObject } from "../../../domain/json.ts";

/** Statuses with which endpoints reject a parameter. */
const REFUSALS = new Set([400, 404, 422, 501]);
const UNSUPPORTED =
  /unsupported|not[ _]support|unknown|unrecogni[sz]ed|unexpected|invalid parameter|not (?:permitted|allowed|available|implemented)|extra|instead/i;
/** The endpoint rejects the value, not the parameter. */
const BOUND =
  /\b(?:at most|at least|up to|between|maximum|minimum|too (?:large|high|big|small|low|many)|exceeds?|(?:less|greater|more|fewer|lower|higher) than|out of range)\b|[<>]=?|≤|≥/i;
/** Endpoints that an isolate remembers; each takes a few hundred bytes. */
const REMEMBERED_MAX = 1_000;

/** A change to the request body that the endpoint's error message calls for. */
interface Adjustment {
  readonly name: "limit" | "stream options" | "streaming";
  readonly isAskedFor: (said: string, body: JsonObject) => boolean;
  readonly adjusted: (body: JsonObject) => JsonObject;
}

const OLDER = /\bmax_tokens\b/;
const NEWER = /\bmax_completion_tokens\b/;

const ADJUSTMENTS: readonly Adjustment[] = [
  {
    // The limit has two names: older endpoints accept only `max_tokens`, newer models only the other.
    name: "limit",
    isAskedFor: (said, body) => {
      const own = limitName(body);
      const other = own === OLDER ? NEWER : OLDER;
      return own.test(said) && (other.test(said) || !BOUND.test(said));
    },
    adjusted: renameLimit,
  },
  {
    name: "stream options",
    isAskedFor: (said, body) => "stream_options" in body && /\bstream_options\b/.test(said),
    adjusted: ({ stream_options: _, ...rest }) => rest,
  },
  {
    name: "streaming",
    isAskedFor: (said, body) => body["stream"] === true && /\bstream(?:ing|ed)?\b/i.test(said),
    adjusted: ({ stream: _, stream_options: __, ...rest }) => rest,
  },
];

/** Adjustments learned by this isolate, keyed by endpoint address and model. */
const remembered = new Map<string, ReadonlySet<Adjustment["name"]>>();

/**
 * A `fetch` that learns from an endpoint's error which form of the request it accepts, and repeats the
 * request in that form, once per parameter. A rejected request costs nothing.
 */
export function adjustingFetch(send: typeof fetch, endpoint: string): typeof fetch {
  return async (input, init) => {
    let body = bodyOf(init);
    if (body === null) return send(input, init);
    const applied = new Set(remembered.get(endpoint));
    for (const { name, adjusted } of ADJUSTMENTS) if (applied.has(name)) body = adjusted(body);
    const tried = new Set<Adjustment["name"]>();
    let first: Response | null = null;
    for (;;) {
      const response = await send(input, { ...init, body: JSON.stringify(body) });
      if (response.ok && tried.size > 0) remember(endpoint, applied);
      if (!REFUSALS.has(response.status)) return response;
      const said = await response.text();
      const { status, headers } = response;
      const refusal = new Response(said, { status, headers });
      const next = adjustmentFor(said, body, tried);
      if (next === null) {
        // If the endpoint rejects both names, its first response states the reason.
        const isUnknown = limitName(body).test(said) && !BOUND.test(said);
        return first !== null && isUnknown ? first : refusal;
      }
      if (next.name === "limit") first = refusal;
      tried.add(next.name);
      // A request for an adjustment that is already applied undoes it: the endpoint has changed.
      if (!applied.delete(next.name)) applied.add(next.name);
      body = next.adjusted(body);
    }
  };
}

function adjustmentFor(
  said: string,
  body: JsonObject,
  tried: ReadonlySet<Adjustment["name"]>,
): Adjustment | null {
  if (!UNSUPPORTED.test(said)) return null;
  const found = ADJUSTMENTS.find(
    ({ name, isAskedFor }) => !tried.has(name) && isAskedFor(said, body),
  );
  return found ?? null;
}

function remember(endpoint: string, applied: ReadonlySet<Adjustment["name"]>): void {
  const [oldest] = remembered.keys();
  if (remembered.size >= REMEMBERED_MAX && oldest !== undefined) remembered.delete(oldest);
  remembered.set(endpoint, applied);
}

function limitName(body: JsonObject): RegExp {
  return "max_tokens" in body ? OLDER : NEWER;
}

function renameLimit(body: JsonObject): JsonObject {
  const { max_tokens: older, max_completion_tokens: newer, ...rest } = body;
  if (older !== undefined) return { ...rest, max_completion_tokens: older };
  return newer === undefined ? rest : { ...rest, max_tokens: newer };
}

function bodyOf(init: RequestInit | undefined): JsonObject | null {
  if (typeof init?.body !== "string") return null;
  const value: Json = JSON.parse(init.body);
  return isJsonObject(value) ? value : null;
}
