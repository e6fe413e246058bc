import type { Parameter } from "../model/capability.ts";
import type { HttpRequestTemplate, ParameterMapping } from "../model/connector.ts";
import { jsonSizeOf, type JsonObject } from "../../kernel/json.ts";
import { PARAMETERS_BYTES_MAX } from "../limits.ts";
import { PROBLEMS_REPORTED_MAX } from "../../kernel/limits.ts";
import { prefixProblems, preview, type Problem } from "../../kernel/result.ts";
import { parsePathTemplate } from "../connectors/http/uri-template.ts";
import type { StoredCapability } from "../model/tool.ts";
import { createSchemaChecker } from "../schema/checkers.ts";
import { checkJsonPath } from "../schema/json-path.ts";
import { isCredentialName } from "../../kernel/credential-name.ts";

export function checkCapabilities(list: readonly StoredCapability[]): Problem[] {
  const checkSchema = createSchemaChecker();
  const problems: Problem[] = [];
  const firsts = new Map(list.map(({ id }, index) => [id, index] as const).toReversed());
  for (const [index, capability] of list.entries()) {
    if (problems.length >= PROBLEMS_REPORTED_MAX) break;
    const at = `capabilities[${index}]`;
    if (firsts.get(capability.id) !== index) {
      problems.push({ path: `${at}.id`, message: `is used more than once: ${capability.id}` });
    }
    const found = [
      ...checkParameterDefinitions(capability.parameters, checkSchema),
      ...checkRequest(capability),
    ];
    problems.push(...prefixProblems(at, found));
  }
  return problems;
}

function checkParameterDefinitions(
  parameters: readonly Parameter[],
  checkSchema: (schema: JsonObject) => string | null,
): Problem[] {
  const names = parameters.map(({ name }) => name);
  const twice = names.flatMap((name, index) =>
    names.indexOf(name) === index
      ? []
      : [
          {
            path: `parameters[${index}].name`,
            message: `is used more than once: ${preview(name)}`,
          },
        ],
  );
  const schemas = parameters.flatMap(({ schema }, index) => {
    const message = schema === undefined ? null : checkSchema(schema);
    return message === null ? [] : [{ path: `parameters[${index}].schema`, message }];
  });
  const bytes = jsonSizeOf(parameters);
  const message = `must be at most ${PARAMETERS_BYTES_MAX} bytes as JSON, got ${bytes}`;
  const large = bytes <= PARAMETERS_BYTES_MAX ? [] : [{ path: "parameters", message }];
  return [...twice, ...schemas, ...large];
}

const UNUSED_MESSAGE = "is not used in the request; map it or remove it";

/** Finds the problems with a request, which must use every parameter of its capability and no others. */
function checkRequest({ operation, parameters }: StoredCapability): Problem[] {
  if (operation?.type !== "http") return [];
  const { request } = operation;
  const variables = parsePathTemplate(request.path);
  if (!variables.ok) return [{ path: "request.path", message: variables.failure }];
  const uses = listParameterUses(request, variables.value);
  const known = new Set(parameters.map(({ name }) => name));
  const used = new Set(uses.map(({ name }) => name));
  const { method, body, result } = request;
  const isBodiless = method === "GET" || method === "HEAD";
  const reason = result === undefined ? null : checkJsonPath(result);
  return [
    ...uses.flatMap(({ path, name }) => {
      const message = `names ${preview(name)}, which is not one of the parameters`;
      return known.has(name) ? [] : [{ path, message }];
    }),
    ...parameters.flatMap(({ name }, index) =>
      used.has(name) ? [] : [{ path: `parameters[${index}]`, message: UNUSED_MESSAGE }],
    ),
    ...(isBodiless && body !== undefined
      ? [
          {
            path: "request.body",
            message: `must be omitted, because a ${method} request has no body`,
          },
        ]
      : []),
    ...checkSecrets("request.path", parseLiteralQuery(request.path)),
    ...checkSecrets("request.query", request.query),
    ...checkSecrets("request.headers", request.headers),
    ...(reason === null
      ? []
      : [{ path: "request.result", message: `must be a valid JSONPath: ${reason}` }]),
  ];
}

/** The literal query parameters of a path template, such as `sort=new` in `/search?sort=new{&q}`. */
function parseLiteralQuery(path: string): HttpRequestTemplate["query"] {
  const literal = path.replaceAll(/\{[^{}]*\}/g, "").split("?")[1] ?? "";
  const pairs = [...new URLSearchParams(literal)];
  return Object.fromEntries(pairs.map(([name, value]) => [name, { value }]));
}

/**
 * Finds credentials among the fixed values. Anyone who manages tools could read them, and they would remain if the tool
 * moved to another origin.
 */
function checkSecrets(path: string, mapped: HttpRequestTemplate["query"] = {}): Problem[] {
  const message = "must not contain a credential; set it with PUT /agents/tools/:id/credentials";
  return Object.entries(mapped).flatMap(([name, one]) =>
    "value" in one && isCredentialName(name) ? [{ path: `${path}.${name}`, message }] : [],
  );
}

/** The parameters that a request uses, each with the field that names it. */
function listParameterUses(
  { query, headers, body }: HttpRequestTemplate,
  variables: readonly string[],
): { path: string; name: string }[] {
  const inBody =
    body === undefined ? {} : "fields" in body ? body.fields : { parameter: body.parameter };
  return [
    ...variables.map((name) => ({ path: "request.path", name })),
    ...listMappedNames("request.query", query),
    ...listMappedNames("request.headers", headers),
    ...Object.entries(inBody).map(([field, name]) => ({ path: `request.body.${field}`, name })),
  ];
}

function listMappedNames(
  path: string,
  mapped: Readonly<Record<string, ParameterMapping>> = {},
): { path: string; name: string }[] {
  return Object.entries(mapped).flatMap(([name, one]) =>
    "parameter" in one ? [{ path: `${path}.${name}`, name: one.parameter }] : [],
  );
}
