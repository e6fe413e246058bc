import type { Authorisation, HttpRequest } from "../../../domain/connector.ts";
import type { JsonObject } from "../../../domain/json.ts";
import { URL_BYTES_MAX } from "../../../domain/limits.ts";
import { shown } from "../../../domain/problem.ts";
import { fail, ok, type Result } from "../../../domain/result.ts";
import type { CallFault } from "../contract.ts";
import { parametersFault, unsendable } from "./fault.ts";
import { expand, templateNames } from "./path.ts";
import { queryPieces } from "./query.ts";
import { encoded } from "./text.ts";

/**
 * The address of one request: the base with its own path and query, the template's, the mapped
 * query, and the credential where it belongs there. Never leaves the base's origin and path.
 */
export async function addressOf(
  base: URL,
  request: HttpRequest,
  parameters: JsonObject,
  authorisation: Authorisation | null,
): Promise<Result<URL, CallFault>> {
  const expanded = expand(request.path, parameters);
  const pieces = await queryPieces(request.query ?? {}, parameters);
  if (!expanded.ok || !pieces.ok) {
    const problems = [expanded, pieces].flatMap((part) => (part.ok ? [] : part.failure));
    return fail(parametersFault(problems));
  }
  const basePath = base.pathname.replace(/\/$/, "");
  const path = expanded.value.path.replace(/^\//, "");
  const root = `${base.origin}${basePath}`;
  // `/v1` and `/v1/` are different resources: a template of nothing means the base as it stands.
  const target =
    path === "" && request.path !== "/" ? `${base.origin}${base.pathname}` : `${root}/${path}`;
  const url = URL.parse(target);
  const isBelow =
    url !== null && (url.pathname === base.pathname || url.pathname.startsWith(`${basePath}/`));
  if (!isBelow || url.origin !== base.origin) {
    return fail(blame(request, parameters, `must not lead out of ${root}/`));
  }
  const given = [base.search.slice(1), expanded.value.query].flatMap((text) => text.split("&"));
  const query = [...given, ...pieces.value].filter((one) => one !== "");
  url.search = withCredential(query, authorisation).join("&");
  if (url.href.length > URL_BYTES_MAX) {
    return fail(
      blame(request, parameters, `must be shorter: an address may hold ${URL_BYTES_MAX} bytes`),
    );
  }
  return ok(url);
}

/** The credential is the only piece of its name: nothing else may stand in its place. */
function withCredential(pieces: string[], authorisation: Authorisation | null): string[] {
  if (authorisation?.in !== "query") return pieces;
  const { name, value } = authorisation;
  const others = pieces.filter((piece) => !new URLSearchParams(piece).has(name));
  return [...others, `${encoded(name)}=${encoded(value)}`];
}

/** The longest of the values that the address holds is what the caller can change. */
function blame(request: HttpRequest, parameters: JsonObject, message: string): CallFault {
  const mapped = Object.values(request.query ?? {});
  const names = [
    ...templateNames(request.path),
    ...mapped.flatMap((one) => ("parameter" in one ? [one.parameter] : [])),
  ].filter((name) => Object.hasOwn(parameters, name));
  const lengths = names.map((name) => JSON.stringify(parameters[name] ?? null).length);
  const path = names[lengths.indexOf(Math.max(...lengths))];
  if (path !== undefined) return parametersFault([{ path, message }]);
  return unsendable(`its path ${shown(request.path)} ${message}.`);
}
