import type { Parameter } from "../../domain/capability.ts";
import type { HttpRequest, Mapped } from "../../domain/connector.ts";
import type { JsonObject } from "../../domain/json.ts";
import { PARAMETERS_BYTES_MAX, PROBLEMS_TOLD_MAX } from "../../domain/limits.ts";
import { below, shown, type Problem } from "../../domain/problem.ts";
import { templateParameters } from "../../domain/template.ts";
import type { StoredCapability } from "../../domain/tool.ts";
import { schemaJudge } from "../parameters.ts";
import { isCredentialName } from "../../secrets/credential-name.ts";

/** What does not fit together in the capabilities of a tool that somebody registers, field by field. */
export async function capabilityProblems(list: readonly StoredCapability[]): Promise<Problem[]> {
  const judges: Judges = { schema: await schemaJudge(), path: await pathJudge() };
  const problems: Problem[] = [];
  const firsts = new Map(list.map(({ id }, index) => [id, index] as const).toReversed());
  for (const [index, capability] of list.entries()) {
    if (problems.length >= PROBLEMS_TOLD_MAX) break;
    const at = `capabilities[${index}]`;
    if (firsts.get(capability.id) !== index) {
      problems.push({ path: `${at}.id`, message: `is there twice: ${capability.id}` });
    }
    const found = [
      ...parameterProblems(capability.parameters, judges.schema),
      ...requestProblems(capability, judges.path),
    ];
    problems.push(...below(at, found));
  }
  return problems;
}

/** Each says what is wrong, or null. */
interface Judges {
  readonly schema: (schema: JsonObject) => string | null;
  readonly path: (path: string) => string | null;
}

function parameterProblems(
  parameters: readonly Parameter[],
  judgeSchema: Judges["schema"],
): Problem[] {
  const names = parameters.map(({ name }) => name);
  const twice = names.flatMap((name, index) =>
    names.indexOf(name) === index
      ? []
      : [{ path: `parameters[${index}].name`, message: `is there twice: ${shown(name)}` }],
  );
  const schemas = parameters.flatMap(({ schema }, index) => {
    const message = schema === undefined ? null : judgeSchema(schema);
    return message === null ? [] : [{ path: `parameters[${index}].schema`, message }];
  });
  const bytes = new TextEncoder().encode(JSON.stringify(parameters)).byteLength;
  const large = bytes <= PARAMETERS_BYTES_MAX ? [] : [tooLarge(bytes)];
  return [...twice, ...schemas, ...large];
}

function tooLarge(bytes: number): Problem {
  const message = `may hold at most ${PARAMETERS_BYTES_MAX} bytes as JSON, and hold ${bytes}`;
  return { path: "parameters", message };
}

/** Whether a request is made of the parameters that the capability has, and of all of them. */
function requestProblems(
  { operation, parameters }: StoredCapability,
  judgePath: Judges["path"],
): Problem[] {
  if (operation?.type !== "http") return [];
  const { request } = operation;
  const variables = templateParameters(request.path);
  if (!variables.ok) return [{ path: "request.path", message: variables.failure }];
  const uses = usesOf(request, variables.value);
  const known = new Set(parameters.map(({ name }) => name));
  const used = new Set(uses.map(({ name }) => name));
  return [
    ...uses.flatMap(({ path, name }) =>
      known.has(name)
        ? []
        : [{ path, message: `names ${shown(name)}, which is not one of the parameters` }],
    ),
    ...parameters.flatMap(({ name }, index) =>
      used.has(name)
        ? []
        : [
            {
              path: `parameters[${index}]`,
              message: "is not used in the request; map it or leave it out",
            },
          ],
    ),
    ...bodyProblems(request),
    ...secretProblems("request.path", literalQuery(request.path)),
    ...secretProblems("request.query", request.query),
    ...secretProblems("request.headers", request.headers),
    ...resultProblems(request, judgePath),
  ];
}

/** What a path template says of the query without a parameter: `/search?sort=new{&q}`. */
function literalQuery(path: string): HttpRequest["query"] {
  const literal = path.replaceAll(/\{[^{}]*\}/g, "").split("?")[1] ?? "";
  const pairs = [...new URLSearchParams(literal)];
  return Object.fromEntries(pairs.map(([name, value]) => [name, { value }]));
}

/** A fixed secret would be read by everybody who manages tools, and go along to another origin. */
function secretProblems(path: string, mapped: HttpRequest["query"] = {}): Problem[] {
  const message = "must hold no credential; put it with PUT /agents/tools/:id/credentials";
  return Object.entries(mapped).flatMap(([name, one]) =>
    "value" in one && isCredentialName(name) ? [{ path: `${path}.${name}`, message }] : [],
  );
}

function resultProblems({ result }: HttpRequest, judgePath: Judges["path"]): Problem[] {
  const reason = result === undefined ? null : judgePath(result);
  if (reason === null) return [];
  return [{ path: "request.result", message: `must be a JSONPath: ${reason}` }];
}

async function pathJudge(): Promise<Judges["path"]> {
  const { jsonPathProblem } = await import("../jsonpath.ts");
  return jsonPathProblem;
}

function bodyProblems({ method, body }: HttpRequest): Problem[] {
  const hasNone = method === "GET" || method === "HEAD";
  return hasNone && body !== undefined
    ? [{ path: "request.body", message: `must be left out: ${method} has no body` }]
    : [];
}

/** Every place of a request that names a parameter. */
function usesOf(
  { query, headers, body }: HttpRequest,
  variables: readonly string[],
): { path: string; name: string }[] {
  const inBody =
    body === undefined ? {} : "fields" in body ? body.fields : { parameter: body.parameter };
  return [
    ...variables.map((name) => ({ path: "request.path", name })),
    ...mappedNames("request.query", query),
    ...mappedNames("request.headers", headers),
    ...Object.entries(inBody).map(([field, name]) => ({ path: `request.body.${field}`, name })),
  ];
}

function mappedNames(
  path: string,
  mapped: Readonly<Record<string, Mapped>> = {},
): { path: string; name: string }[] {
  return Object.entries(mapped).flatMap(([name, one]) =>
    "parameter" in one ? [{ path: `${path}.${name}`, name: one.parameter }] : [],
  );
}
