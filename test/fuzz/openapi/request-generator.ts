import fc, { type Arbitrary } from "fast-check";
import { text } from "../request-generator.ts";
import { corruptJson } from "../malformed-json.ts";
import { validValues, numbers, texts } from "./valid-values.ts";
import { BODIES, namesFor, QUERIES } from "./hints.ts";
import { headersOf, oddHeaders } from "./headers.ts";
import { invalidValues } from "./invalid-values.ts";
import type { Body, Operation, Parameter } from "./operations.ts";

/** A generated request. A name in double braces refers to a resource in the pool. */
export interface FuzzRequest {
  readonly path: string;
  readonly query: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Uint8Array | null;
  /** Whether the whole request matches the document's schemas. */
  readonly isValid: boolean;
}

type Query = readonly (readonly [name: string, value: string])[];

/** Generates requests for one operation: valid, invalid in one part, or invalid throughout. */
export function requestsOf(operation: Operation): Arbitrary<FuzzRequest> {
  const good = {
    path: pathOf(operation, goodName),
    query: goodQuery(operation),
    headers: headersOf(operation),
    body: bodyOf(operation),
  };
  const odd = {
    path: pathOf(operation, oddName),
    query: oddQuery(operation),
    headers: fc
      .tuple(good.headers, oddHeaders(operation))
      .map(([all, few]) => ({ ...all, ...few })),
    body: oddBody(operation.body),
  };
  const valid = fc.record({ ...good, isValid: fc.constant(true) });
  const isValid = fc.constant(false);
  return fc.oneof(
    { weight: 10, arbitrary: valid },
    {
      weight: operation.body === null ? 0 : 6,
      arbitrary: fc.record({ ...good, body: odd.body, isValid }),
    },
    { weight: 2, arbitrary: fc.record({ ...good, path: odd.path, isValid }) },
    {
      weight: operation.body === null ? 5 : 2,
      arbitrary: fc.record({ ...good, query: odd.query, isValid }),
    },
    { weight: 3, arbitrary: fc.record({ ...good, headers: odd.headers, isValid }) },
    { weight: 1, arbitrary: fc.record({ ...odd, isValid }) },
  );
}

type Named = (operation: Operation, parameter: Parameter) => Arbitrary<string>;

function pathOf(operation: Operation, named: Named): Arbitrary<string> {
  const parameters = operation.parameters.filter((one) => one.in === "path");
  const names = fc.tuple(
    ...parameters.map((one) => named(operation, one).map((name) => [one.name, name] as const)),
  );
  return names.map((some) =>
    some.reduce((path, [name, value]) => path.replace(`{${name}}`, () => value), operation.path),
  );
}

function goodName(operation: Operation, { name, schema }: Parameter): Arbitrary<string> {
  const known = namesFor(operation.id, operation.path, name);
  const any = texts(schema, "").map(escaped);
  return fc.oneof(
    { weight: 12, arbitrary: fc.constantFrom(...known) },
    { weight: 1, arbitrary: any.filter((one) => one !== "." && one !== "..") },
  );
}

/** An invalid name, the name of another resource, or an unusual encoding. */
function oddName(operation: Operation, parameter: Parameter): Arbitrary<string> {
  return fc.oneof(
    text.map(escaped),
    fc.constantFrom("%", "%E0%A4%A", "%2F", "%2e%2e", "a%00", ";", "@", "%u0041", "a+b", "%252e"),
    fc.constantFrom(
      "{{tool}}",
      "{{team}}",
      "{{key}}",
      "{{webhook}}",
      "{{agent}}",
      "{{task:failed}}",
    ),
    fc.constantFrom("x".repeat(129), "%F0%9D%92%B3".repeat(128), "x".repeat(9_000)),
    goodName(operation, parameter).map((name) => `${name}%20`),
  );
}

/** Query parameters from the document. Optional ones appear in only some requests. */
function queryOf(operation: Operation): Arbitrary<Query> {
  const parameters = operation.parameters.filter((one) => one.in === "query");
  const some = parameters.map(({ name, required = false, schema }) => {
    const values = valuesOf(schema, name).map((value): Query => [[name, escaped(value)]]);
    if (required) return values;
    return fc.oneof(
      { weight: 3, arbitrary: fc.constant<Query>([]) },
      { weight: 1, arbitrary: values },
    );
  });
  return fc.tuple(...some).map((all) => all.flat());
}

function goodQuery(operation: Operation): Arbitrary<string> {
  const known = QUERIES[operation.id];
  const any = queryOf(operation).map(joined);
  return known === undefined ? any : fc.oneof(any, fc.constant(known));
}

function valuesOf(schema: Parameter["schema"], name: string): Arbitrary<string> {
  if (schema.type === "array") return valuesOf(schema.items ?? {}, name);
  const isNumber = schema.type === "integer" || schema.type === "number";
  if (schema.anyOf !== undefined) return fc.oneof(...schema.anyOf.map((one) => texts(one, name)));
  return isNumber ? numbers(schema).map(String) : texts(schema, name);
}

/** A query that exceeds the maximum URL length. */
const LONG_QUERY = `?a=${"b".repeat(9_000)}`;
const ODD_VALUES = [
  "",
  "01",
  "1e1",
  "+1",
  "%201",
  "-1",
  "1.0",
  "٣",
  "%",
  "%00",
  "%ff",
  "a%26b",
  "0x1",
];

function oddQuery(operation: Operation): Arbitrary<string> {
  const known = operation.parameters.filter((one) => one.in === "query");
  const names = [...known.map(({ name }) => name), "extra", "limit", "__proto__", "limit[]"];
  const value = fc.oneof(fc.constantFrom(...ODD_VALUES), text.map(escaped));
  const odd = fc.oneof(
    fc.tuple(fc.constantFrom(...names), value).map((pair): Query => [pair]),
    ...known.flatMap(({ name, schema }) => [
      invalidValues(schema, name).map((json): Query => [[name, escaped(unquoted(json))]]),
      valuesOf(schema, name).map((one): Query => [
        [name, escaped(one)],
        [name, escaped(one)],
      ]),
    ]),
  );
  return fc.oneof(
    {
      weight: 8,
      arbitrary: fc.tuple(queryOf(operation), odd).map(([good, bad]) => joined([...good, ...bad])),
    },
    {
      weight: known.length === 0 ? 8 : 1,
      arbitrary: fc.constantFrom("?&&=a", LONG_QUERY, LONG_QUERY),
    },
  );
}

function unquoted(json: string): string {
  return json.replace(/^"(.*)"$/s, "$1");
}

function joined(query: Query): string {
  return query.length === 0 ? "" : `?${query.map((pair) => pair.join("=")).join("&")}`;
}

function bodyOf({ id, body }: Operation): Arbitrary<FuzzRequest["body"]> {
  if (body === null) return fc.constant(null);
  if (body.mediaType !== "application/json") return fc.uint8Array({ maxLength: 60 });
  const examples = body.example === null ? [] : [JSON.stringify(body.example)];
  const known = [...examples, ...(BODIES[id] ?? [])];
  return fc.oneof(
    { weight: BODIES[id] === undefined ? 3 : 1, arbitrary: validValues(body.schema) },
    { weight: 1, arbitrary: fc.constantFrom(...known) },
  );
}

function oddBody(body: Body | null): Arbitrary<FuzzRequest["body"]> {
  if (body === null) return fc.constantFrom("", "{}", "x".repeat(100));
  const bytes = fc.uint8Array({ maxLength: 40 });
  if (body.mediaType !== "application/json") return bytes;
  return fc.oneof(
    { weight: 12, arbitrary: invalidValues(body.schema) },
    { weight: 1, arbitrary: corruptJson(validValues(body.schema)) },
    { weight: 1, arbitrary: bytes },
    { weight: 1, arbitrary: validValues(body.schema).map(badUtf8) },
    { weight: 1, arbitrary: validValues(body.schema).map((one) => `\ufeff${one}`) },
    { weight: 1, arbitrary: fc.constant(null) },
  );
}

/** The text as bytes, with an invalid UTF-8 byte added, inside the first string if there is one. */
function badUtf8(whole: string): Uint8Array {
  const bytes = new TextEncoder().encode(whole);
  bytes[Math.min(3, bytes.length - 1)] = 0xff;
  return bytes;
}

/** URL-encodes a value, but leaves names of pool resources unencoded. */
function escaped(value: string): string {
  return value.startsWith("{{") ? value : encodeURIComponent(value.toWellFormed());
}
