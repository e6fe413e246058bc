import type { Parameter } from "../../domain/capability.ts";
import type { HttpRequest, Mapped } from "../../domain/connector.ts";
import { PARAMETERS_BYTES_MAX } from "../../domain/limits.ts";
import { shown, type Problem } from "../../domain/problem.ts";
import { templateVariables } from "../../domain/template.ts";
import type { StoredCapability } from "../../domain/tool.ts";
import { schemaProblem } from "../parameters.ts";

/** What does not fit together in the capabilities of a tool that somebody registers, field by field. */
export async function capabilityProblems(list: readonly StoredCapability[]): Promise<Problem[]> {
  const problems = await Promise.all(
    list.map(async (capability, index) => {
      const at = `capabilities[${index}]`;
      const isFirst = list.findIndex(({ id }) => id === capability.id) === index;
      return [
        ...(isFirst ? [] : [{ path: `${at}.id`, message: `is there twice: ${capability.id}` }]),
        ...(await parameterListProblems(capability.parameters)).map(below(at)),
        ...requestProblems(capability).map(below(at)),
        ...(await resultProblems(capability)).map(below(at)),
      ];
    }),
  );
  return problems.flat();
}

async function parameterListProblems(parameters: readonly Parameter[]): Promise<Problem[]> {
  const names = parameters.map(({ name }) => name);
  const twice = names.flatMap((name, index) =>
    names.indexOf(name) === index
      ? []
      : [{ path: `parameters[${index}].name`, message: `is there twice: ${shown(name)}` }],
  );
  const schemas = await Promise.all(
    parameters.map(async ({ schema }, index) => {
      const message = schema === undefined ? null : await schemaProblem(schema);
      return message === null ? [] : [{ path: `parameters[${index}].schema`, message }];
    }),
  );
  const bytes = new TextEncoder().encode(JSON.stringify(parameters)).byteLength;
  const large = bytes <= PARAMETERS_BYTES_MAX ? [] : [tooLarge(bytes)];
  return [...twice, ...schemas.flat(), ...large];
}

function tooLarge(bytes: number): Problem {
  const message = `may hold at most ${PARAMETERS_BYTES_MAX} bytes as JSON, and hold ${bytes}`;
  return { path: "parameters", message };
}

/** Whether a request is made of the parameters that the capability has, and of all of them. */
function requestProblems({ operation, parameters }: StoredCapability): Problem[] {
  if (operation?.type !== "http") return [];
  const { request } = operation;
  const variables = templateVariables(request.path);
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
  ];
}

async function resultProblems({ operation }: StoredCapability): Promise<Problem[]> {
  const path = operation?.type === "http" ? operation.request.result : undefined;
  if (path === undefined) return [];
  const { jsonPathProblem } = await import("../jsonpath.ts");
  const reason = jsonPathProblem(path);
  return reason === null
    ? []
    : [{ path: "request.result", message: `must be a JSONPath: ${reason}` }];
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
    ...variables.map((name) => ({ path: "request.path", name: decodeURIComponent(name) })),
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

function below(at: string): (problem: Problem) => Problem {
  return ({ path, message }) => ({ path: `${at}.${path}`, message });
}
