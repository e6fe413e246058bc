import fc, { type Arbitrary } from "fast-check";
import { ROOT } from "../../support/client.ts";
import { texts } from "./valid-values.ts";
import type { Operation } from "./operations.ts";

type Headers = Readonly<Record<string, string>>;

const PLAIN_JSON = fc.oneof(
  { weight: 8, arbitrary: fc.constant("application/json") },
  { weight: 1, arbitrary: fc.constant("application/json; charset=utf-8") },
);

/** Headers from the document: all required ones, and sometimes optional ones. */
export function headersOf(operation: Operation): Arbitrary<Headers> {
  const parameters = operation.parameters.filter(
    (one) => one.in === "header" && !SENT.has(one.name),
  );
  const some = parameters.map(({ name, required = false, schema }) => {
    const values = texts(schema, name)
      .filter((value) => /^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/.test(value))
      .map((value): Headers => ({ [name]: value }));
    // A request without a version is read as A2A 0.3, which has none of the 1.0 methods.
    if (required || name === "A2A-Version") return values;
    return fc.oneof(
      { weight: 9, arbitrary: fc.constant<Headers>({}) },
      { weight: 1, arbitrary: values },
    );
  });
  const type =
    operation.body === null
      ? fc.constant<Headers>({})
      : PLAIN_JSON.map((one) => ({ "Content-Type": one }));
  return fc.tuple(type, ...some).map((all) => Object.assign({}, ...all));
}

/** Headers that the sender computes from the body. */
const SENT = new Set(["Content-Length", "Content-Digest"]);

const ODD_HEADERS: readonly Headers[] = [
  { "Content-Type": "text/plain" },
  { "Content-Type": "application/json; charset=utf-16" },
  { "Content-Type": "" },
  { "Content-Encoding": "gzip" },
  { "Content-Length": "99999999" },
  { "Content-Length": "-1" },
  { "Transfer-Encoding": "chunked" },
  { "Idempotency-Key": "" },
  { "Idempotency-Key": "a b" },
  { "Idempotency-Key": "k".repeat(256) },
  { "Idempotency-Key": "k".repeat(255) },
  { "Idempotency-Key": "the same for all" },
  { "Idempotency-Key": "the-same-for-all" },
  { "If-Match": '"0"' },
  { "If-Match": "1" },
  { "If-Match": '"' },
  { "If-Match": "" },
  { "If-None-Match": '"1", W/"2"' },
  { "Last-Event-ID": "x", Accept: "text/event-stream" },
  { "Last-Event-ID": "-1", Accept: "text/event-stream" },
  { "Last-Event-ID": "1e99", Accept: "text/event-stream" },
  { "Last-Event-ID": "9007199254740993", Accept: "text/event-stream" },
  { Accept: "text/event-stream" },
  { Accept: "text/html" },
  { Accept: "application/xml;q=0.1" },
  { Accept: "" },
  { "X-Request-Id": "a/b" },
  { "X-Request-Id": "x".repeat(129) },
  { Range: "bytes=0-0" },
  { Expect: "100-continue" },
  { "X-HTTP-Method-Override": "DELETE" },
  { Authorization: "" },
  { Authorization: "Bearer" },
  { Authorization: "Bearer " },
  { Authorization: `bearer ${ROOT}` },
  { Authorization: `Bearer bsn_${"0".repeat(16)}_${"0".repeat(64)}` },
  { Authorization: "Basic YTpi" },
  { Authorization: "Bearer {{key:bound}}" },
  { Authorization: "Bearer {{key:bound}}" },
  { Authorization: "Bearer {{key:reader}}" },
  { Authorization: `Bearer ${"x".repeat(10_000)}` },
];

export function oddHeaders({ parameters }: Operation): Arbitrary<Headers> {
  const any = fc.string({ unit: "grapheme-ascii", maxLength: 40 }).map((one) => one.trim());
  const names = parameters.filter((one) => one.in === "header").map(({ name }) => name);
  const own = fc
    .tuple(fc.constantFrom("Accept", "Cookie", ...names), any)
    .map(([name, value]): Headers => ({ [name]: value }));
  return fc.oneof(
    { weight: 4, arbitrary: fc.constantFrom(...ODD_HEADERS) },
    { weight: 1, arbitrary: own },
  );
}
