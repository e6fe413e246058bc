import type {
  HttpRequestTemplate,
  ParameterMapping,
  RequestAuthorization,
} from "../../model/connector.ts";
import type { JsonObject } from "../../../kernel/json.ts";
import { URL_BYTES_MAX } from "../../../kernel/limits.ts";
import { preview, type Problem } from "../../../kernel/problem.ts";
import { fail, ok, type Result } from "../../../kernel/result.ts";
import type { ConnectorFailure } from "../contract.ts";
import { rejectParameters, createUnsendableRequestFailure } from "../connector-failure.ts";
import { expandTemplate, listTemplateParameters } from "./uri-template.ts";
import {
  encodePair,
  encodeStyled,
  findLongestParameter,
  percentEncode,
  readParameter,
} from "./parameter-styles.ts";

/** The encoded `name=value` pairs of the query. Absent parameters, null and empty lists are omitted. */
async function buildQueryParts(
  query: Readonly<Record<string, ParameterMapping>>,
  parameters: JsonObject,
): Promise<Result<string[], Problem[]>> {
  const pieces: string[] = [];
  const problems: Problem[] = [];
  for (const [name, mapped] of Object.entries(query)) {
    if ("value" in mapped) {
      pieces.push(encodePair(name, mapped.value));
      continue;
    }
    const value = readParameter(parameters, mapped.parameter);
    const written = await encodeStyled(name, value, mapped);
    if (written.ok) pieces.push(written.value);
    else problems.push({ path: mapped.parameter, message: written.failure });
  }
  if (problems.length > 0) return fail(problems);
  return ok(pieces.flatMap((one) => one.split("&")).filter((one) => one !== ""));
}

/** The URL of a request, with the credential if it belongs there. It never leaves the origin and path of the base. */
export async function buildToolRequestUrl(
  base: URL,
  request: HttpRequestTemplate,
  parameters: JsonObject,
  authorization: RequestAuthorization | null,
): Promise<Result<URL, ConnectorFailure>> {
  const expanded = expandTemplate(request.path, parameters);
  const pieces = await buildQueryParts(request.query ?? {}, parameters);
  if (!expanded.ok || !pieces.ok) {
    const problems = [expanded, pieces].flatMap((part) => (part.ok ? [] : part.failure));
    return fail(rejectParameters(problems));
  }
  const basePath = base.pathname.replace(/\/$/, "");
  const path = expanded.value.path.replace(/^\//, "");
  const root = `${base.origin}${basePath}`;
  // `/v1` and `/v1/` are different resources: an empty template means the base unchanged.
  const target =
    path === "" && request.path !== "/" ? `${base.origin}${base.pathname}` : `${root}/${path}`;
  const url = URL.parse(target);
  const isBelow =
    url !== null && (url.pathname === base.pathname || url.pathname.startsWith(`${basePath}/`));
  if (!isBelow || url.origin !== base.origin) {
    return fail(blameLongestParameter(request, parameters, `must not lead out of ${root}/`));
  }
  const given = [base.search.slice(1), expanded.value.query].flatMap((text) => text.split("&"));
  const query = [...given, ...pieces.value].filter((one) => one !== "");
  url.search = addCredential(query, authorization).join("&");
  if (url.href.length > URL_BYTES_MAX) {
    return fail(
      blameLongestParameter(
        request,
        parameters,
        `must be shorter: an address may hold ${URL_BYTES_MAX} bytes`,
      ),
    );
  }
  return ok(url);
}

/** The credential replaces every other query parameter of its name. */
function addCredential(pieces: string[], authorization: RequestAuthorization | null): string[] {
  if (authorization?.in !== "query") return pieces;
  const { name, value } = authorization;
  const others = pieces.filter((piece) => !new URLSearchParams(piece).has(name));
  return [...others, `${percentEncode(name)}=${percentEncode(value)}`];
}

function blameLongestParameter(
  request: HttpRequestTemplate,
  parameters: JsonObject,
  message: string,
): ConnectorFailure {
  const mapped = Object.values(request.query ?? {});
  const names = [
    ...listTemplateParameters(request.path),
    ...mapped.flatMap((one) => ("parameter" in one ? [one.parameter] : [])),
  ].filter((name) => Object.hasOwn(parameters, name));
  const path = findLongestParameter(names, parameters);
  if (path !== undefined) return rejectParameters([{ path, message }]);
  return createUnsendableRequestFailure(`its path ${preview(request.path)} ${message}.`);
}
