import fc, { type Arbitrary } from "fast-check";
import { filled, type Route } from "../support/routes.ts";
import { corruptJson } from "./malformed-json.ts";

/** A generated request. `body` is sent unchanged. */
export interface FuzzRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Uint8Array | null;
}

/**
 * Existing ids and names. The more of them a request uses, the further it gets before it is
 * rejected.
 */
export interface Known {
  readonly tasks: readonly string[];
  readonly names: readonly string[];
}

/** Strings that often cause errors. */
const WORDS = [
  "",
  " ",
  "null",
  "undefined",
  "NaN",
  "__proto__",
  "constructor",
  "toString",
  "access",
  "..",
  "%00",
  "%",
  "*",
  "'; DROP TABLE tools; --",
  '" OR 1=1',
  "\u0000",
  "\ud800",
  "\udc00a",
  "\ufeff",
  "\u202e",
  "İ",
  "1e309",
  "-1",
  "0",
  "01",
  "100",
  "9007199254740993",
  "2999-01-01T00:00:00Z",
  "1970-01-01",
  "high",
  "completed",
  "worker",
  "true",
  "tasks:read",
  "x".repeat(129),
  "x".repeat(5_001),
];

/** Arbitrary text: words from the API, Unicode characters, unpaired surrogates. */
export const text: Arbitrary<string> = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom(...WORDS) },
  { weight: 2, arbitrary: fc.string({ unit: "binary", maxLength: 20 }) },
  {
    weight: 1,
    arbitrary: fc
      .array(fc.integer({ min: 0, max: 0xffff }), { maxLength: 10 })
      .map((units) => String.fromCharCode(...units)),
  },
);

/** A JSON number, which may exceed what a double can represent. */
const numeral: Arbitrary<string> = fc.oneof(
  fc.integer().map(String),
  fc.double({ noNaN: true, noDefaultInfinity: true }).map(String),
  fc.constantFrom("1e309", "-1e309", "9007199254740993", "-0", "1E-400", "0.1e1"),
);

/** JSON as a string, because an object would lose duplicate and unusual keys. */
export const json: Arbitrary<string> = fc.letrec<{ value: string }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4, depthSize: "small", withCrossShrink: true },
    fc.constantFrom("null", "true", "false", "[]", "{}"),
    numeral,
    text.map((value) => JSON.stringify(value)),
    fc.array(tie("value"), { maxLength: 4 }).map((items) => `[${items.join(",")}]`),
    fc.array(fc.tuple(text, tie("value")), { maxLength: 4 }).map(object),
  ),
})).value;

function object(entries: readonly (readonly [key: string, json: string])[]): string {
  return `{${entries.map(([key, value]) => `${JSON.stringify(key)}:${value}`).join(",")}}`;
}

/** A valid body with up to three fields removed, replaced or added. */
export function mutateBody(valid: Readonly<Record<string, unknown>>): Arbitrary<string> {
  const keys = Object.keys(valid);
  const change = fc.tuple(fc.oneof(fc.constantFrom(...keys, "extra"), text), fc.option(json));
  return fc.array(change, { maxLength: 3 }).map((changes) => {
    const changed = new Set(changes.map(([key]) => key));
    const kept = keys
      .filter((key) => !changed.has(key))
      .map((key) => [key, JSON.stringify(valid[key])] as const);
    const set = changes.flatMap(([key, value]) => (value === null ? [] : [[key, value] as const]));
    return object([...kept, ...set]);
  });
}

function bodyOf(valid: Readonly<Record<string, unknown>> | null): Arbitrary<FuzzRequest["body"]> {
  const bodies = valid === null ? json : mutateBody(valid);
  return fc.oneof(
    { weight: 6, arbitrary: bodies },
    { weight: 2, arbitrary: json },
    { weight: 1, arbitrary: corruptJson(bodies) },
    { weight: 1, arbitrary: fc.uint8Array({ maxLength: 40 }) },
    { weight: 1, arbitrary: fc.constant(null) },
  );
}

const PARAMETERS = [
  "category",
  "agentId",
  "teamId",
  "executor",
  "enabled",
  "search",
  "limit",
  "offset",
  "status",
  "priority",
  "startDate",
  "endDate",
  "cursor",
  "include",
  "after",
  "signature",
  "expires",
];

/** A query string: known parameters with arbitrary values, often repeated, and sometimes noise. */
const query: Arbitrary<string> = fc.oneof(
  { weight: 2, arbitrary: fc.constant("") },
  {
    weight: 5,
    arbitrary: fc
      .array(fc.tuple(fc.oneof(fc.constantFrom(...PARAMETERS), text), text), { maxLength: 4 })
      .map((pairs) => `?${pairs.map((pair) => pair.map(escaped).join("=")).join("&")}`),
  },
  { weight: 1, arbitrary: text.map((noise) => `?${noise.replaceAll("#", "")}`) },
);

function escaped(value: string): string {
  return encodeURIComponent(value.toWellFormed());
}

/** Headers that affect how a request is read. */
const headers: Arbitrary<Record<string, string>> = fc.record(
  {
    "Content-Type": fc.oneof(
      { weight: 8, arbitrary: fc.constant("application/json") },
      { weight: 1, arbitrary: fc.constantFrom("text/plain", "application/xml", "json") },
    ),
    "Content-Encoding": fc.constantFrom("gzip", "identity"),
    "Content-Length": fc.constantFrom("0", "7", "99999999", "-1", "x"),
    "Idempotency-Key": fc.string({ unit: "grapheme-ascii", maxLength: 20 }),
    "X-Request-Id": fc.string({ unit: "grapheme-ascii", maxLength: 20 }),
    "If-Match": fc.constantFrom("*", '"1"'),
    Accept: fc.constantFrom("text/html", "application/xml;q=0.1", "*/*"),
  },
  { requiredKeys: ["Content-Type"] },
);

/** Usually only Content-Type, because most requests with the other headers are rejected early. */
const fewHeaders = fc.oneof(
  { weight: 4, arbitrary: fc.constant({ "Content-Type": "application/json" }) },
  { weight: 1, arbitrary: headers },
);

/**
 * Requests for one route, with arbitrary names in the path, an arbitrary query and a nearly valid
 * body. If a valid query is given, about half of the requests have it.
 */
export function requestOf(
  route: Route,
  known: Known,
  valid: Readonly<Record<string, unknown>> | null,
  validQuery: string | null,
): Arbitrary<FuzzRequest> {
  const name = fc.oneof(
    { weight: 6, arbitrary: fc.constantFrom(...known.tasks) },
    { weight: 3, arbitrary: fc.constantFrom(...known.names) },
    { weight: 2, arbitrary: text.map(escaped) },
    { weight: 1, arbitrary: fc.constantFrom("%", "%E0%A4%A", "%2F", "%2e%2e", "a%00", ";", "@") },
  );
  const path = fc
    .record({ id: name, agentId: name, teamId: name, toolId: name, name })
    .map((names) => filled(route.path, names));
  const hasBody = ["POST", "PUT", "PATCH"].includes(route.method);
  const body = hasBody ? bodyOf(valid) : fc.constant(null);
  const search = validQuery === null ? query : fc.oneof(query, fc.constant(validQuery));
  return fc.record({
    method: fc.constant(route.method),
    path: fc.tuple(path, search).map((parts) => parts.join("")),
    headers: fewHeaders,
    body,
  });
}

/** Requests with any method and any path, including paths outside the service. */
export const anyRequest: Arbitrary<FuzzRequest> = fc.record({
  method: fc.constantFrom("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE"),
  path: fc
    .tuple(
      fc.array(
        fc.oneof(
          fc.constantFrom(
            "agents",
            "tools",
            "tasks",
            "keys",
            "access",
            "invoke",
            "health",
            "events",
          ),
          text.map(escaped),
        ),
        { maxLength: 6 },
      ),
      query,
    )
    .map(([segments, search]) => `/${segments.join("/")}${search}`),
  headers: fewHeaders,
  body: fc.constant(null),
});
