import { dereference, validate, type Schema } from "@cfworker/json-schema";

/** The parts of a request and its response that the OpenAPI document describes. */
export interface Exchange {
  readonly method: string;
  /** The path as sent, without the query. */
  readonly path: string;
  /** The request body, if it was JSON. */
  readonly sent?: unknown;
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

interface DocumentedResponse {
  readonly $ref?: string;
  readonly headers?: Readonly<
    Record<string, { readonly $ref?: string; readonly required?: boolean }>
  >;
  readonly content?: Readonly<Record<string, { readonly schema?: Schema }>>;
}

interface DocumentedOperation {
  readonly requestBody?: DocumentedResponse & { readonly required?: boolean };
  readonly responses: Readonly<Record<string, DocumentedResponse>>;
}

/** The parts of an OpenAPI document that the checker reads. */
export interface ApiDocument {
  readonly paths: Readonly<Record<string, Readonly<Record<string, DocumentedOperation>>>>;
  readonly components: {
    readonly schemas: Readonly<Record<string, Schema>>;
    readonly responses: Readonly<Record<string, DocumentedResponse>>;
    readonly headers: Readonly<Record<string, { readonly required?: boolean }>>;
  };
}

/** The base URI for references within the document. */
const BASE = "https://bosun.test/openapi.json";
const PROBLEMS_SHOWN_MAX = 6;

/** Returns a checker that lists the differences between an exchange and the document. */
export function createExchangeChecker(document: ApiDocument): (exchange: Exchange) => string[] {
  const schemas = withoutExamples(document.components.schemas);
  const lookup = dereference({ components: { schemas } }, Object.create(null), new URL(BASE));
  const ready = new Map<Schema, Schema>();
  const templates = Object.keys(document.paths).map((template) => ({
    template,
    segments: template.split("/"),
  }));

  function operationsAt(path: string) {
    const segments = path.split("/");
    const fitting = templates.filter(
      (one) =>
        one.segments.length === segments.length &&
        one.segments.every((segment, place) =>
          segment.startsWith("{") ? segments[place] !== "" : segment === segments[place],
        ),
    );
    // Where two templates first differ, prefer a literal segment to a parameter.
    const [best] = fitting.toSorted((one, other) =>
      bare(one.template) < bare(other.template) ? 1 : -1,
    );
    return best === undefined ? null : document.paths[best.template];
  }

  /** Prepares a schema on first use, because most test files need only a few of them. */
  function prepared(schema: Schema): Schema {
    const known = ready.get(schema);
    if (known !== undefined) return known;
    const made = withoutExamples(schema);
    dereference(made, lookup, new URL(BASE), `/${ready.size}`);
    ready.set(schema, made);
    return made;
  }

  function mismatches(given: Schema, value: unknown): string[] {
    const schema = prepared(given);
    const { valid, errors } = validate(value, schema, "2020-12", lookup, false);
    if (valid) return [];
    return errors
      .filter(({ keyword }) => !CONTAINERS.has(keyword))
      .slice(0, PROBLEMS_SHOWN_MAX)
      .map(({ instanceLocation, error }) => `${instanceLocation} ${error}`);
  }

  function ofResponse(given: DocumentedResponse, exchange: Exchange): string[] {
    const response =
      given.$ref === undefined ? given : resolved(document.components.responses, given.$ref);
    const lacking = Object.entries(response.headers ?? {})
      .filter(
        ([, header]) =>
          (header.$ref === undefined ? header : resolved(document.components.headers, header.$ref))
            .required === true,
      )
      .filter(([name]) => !exchange.headers.has(name))
      .map(([name]) => `lacks the header ${name}`);
    if (exchange.method === "HEAD") return lacking;
    return [...lacking, ...ofContent(response.content ?? {}, exchange)];
  }

  function ofContent(
    content: Readonly<Record<string, { readonly schema?: Schema }>>,
    { headers, text }: Exchange,
  ): string[] {
    if (text === "" && Object.keys(content).length === 0) return [];
    const type = headers.get("Content-Type")?.split(";")[0] ?? null;
    if (type === null) return ["has no Content-Type"];
    const documented = content[type] ?? content["*/*"];
    if (documented === undefined) return [`is ${type}, which the document does not list`];
    if (documented.schema === undefined || type !== "application/json") return [];
    return mismatches(documented.schema, JSON.parse(text));
  }

  function ofRequest({ requestBody }: DocumentedOperation, sent: unknown): string[] {
    const schema = requestBody?.content?.["application/json"]?.schema;
    if (schema === undefined || sent === undefined) return [];
    return mismatches(schema, sent).map((problem) => `accepts a body that ${problem}`);
  }

  function outside(exchange: Exchange, isPath: boolean): string[] {
    const { method, status, headers, text } = exchange;
    if (method === "OPTIONS" && isPath && status === 204)
      return headers.has("Allow") ? [] : ["lacks Allow"];
    if (status < 400) return ["is not a documented operation, but succeeds"];
    const error = document.components.schemas["Error"];
    if (method === "HEAD" || error === undefined) return [];
    if (status === 405 && !headers.has("Allow")) return ["lacks Allow"];
    return mismatches(error, JSON.parse(text).error);
  }

  return (exchange) => {
    const { method, path, sent, status } = exchange;
    const operations = operationsAt(path);
    const operation = operations?.[method === "HEAD" ? "get" : method.toLowerCase()];
    if (operation === undefined) {
      // MCP and A2A report a wrong method in their own error format.
      const response = /^\/(?:mcp|a2a)\b/.test(path)
        ? operations?.["post"]?.responses[String(status)]
        : undefined;
      if (response !== undefined) return ofResponse(response, exchange);
      return outside(exchange, operations !== null);
    }
    const response = operation.responses[String(status)];
    if (response === undefined)
      return [`responds with ${status}, which the document does not list`];
    return [...ofResponse(response, exchange), ...(status < 300 ? ofRequest(operation, sent) : [])];
  };
}

/**
 * Removes examples, because the validator would treat them as schemas and an example's `id` as a
 * schema id.
 */
function withoutExamples<Part extends Schema | Readonly<Record<string, Schema>>>(part: Part): Part {
  const copy = structuredClone(part);
  dropExamples(copy);
  return copy;
}

function dropExamples(part: unknown): void {
  if (typeof part !== "object" || part === null) return;
  const isSchema = ["type", "$ref", "anyOf", "oneOf", "allOf"].some((name) => name in part);
  if (isSchema) for (const name of ["example", "examples"]) Reflect.deleteProperty(part, name);
  for (const value of Object.values(part)) dropExamples(value);
}

/** Keywords whose errors only repeat that a nested value is invalid. */
const CONTAINERS = new Set(["properties", "items", "$ref", "allOf", "additionalProperties"]);

/** Returns a sort key that ranks literal segments before parameters. */
function bare(template: string): string {
  return template.replaceAll(/\{\w+\}/g, " ");
}

function resolved<Value>(values: Readonly<Record<string, Value>>, reference: string): Value {
  const value = values[reference.slice(reference.lastIndexOf("/") + 1)];
  if (value === undefined) throw new Error(`The document has no ${reference}`);
  return value;
}
