import { isJsonObject, type Json, type JsonObject } from "../../../kernel/json.ts";
import { PROBLEMS_REPORTED_MAX, URL_BYTES_MAX } from "../../../kernel/limits.ts";
import { preview, type Problem, fail, ok, type Result } from "../../../kernel/result.ts";
import type { ImportNotes } from "../tool-draft.ts";
import type { ListedOperation } from "./operations.ts";

export interface ApiServers {
  readonly baseUrl: string;
  /** The base URLs of operations with a different server, by capability id. */
  readonly others: ReadonlyMap<string, string>;
}

/** The addresses for an import; null if not specified. */
export interface ServerOptions {
  /** Replaces the document's servers. */
  readonly baseUrl: string | null;
  /** The document's URL, against which relative addresses are resolved. */
  readonly sourceUrl: string | null;
}

/** Reads the document's first server, and the first server of each operation or path that has its own. */
export function readServers(
  document: JsonObject,
  operations: readonly ListedOperation[],
  { baseUrl, sourceUrl }: ServerOptions,
  notes: ImportNotes,
): Result<ApiServers, readonly Problem[]> {
  const own = operations.flatMap(({ id, where, item, operation }) => {
    const place = findFirstServer(operation["servers"]) === null ? item : operation;
    const server = findFirstServer(place["servers"]);
    return server === null ? [] : [{ id, where, server }];
  });
  if (baseUrl !== null) {
    for (const { id } of own) notes.add("Sent to openapi.baseUrl instead of its own server", id);
    return ok({ baseUrl, others: new Map() });
  }
  const problems: Problem[] = [];
  const others = new Map<string, string>();
  for (const { id, where, server } of own) {
    if (problems.length >= PROBLEMS_REPORTED_MAX) break;
    const url = resolveServerUrl(server, sourceUrl);
    if (url.ok) others.set(id, url.value);
    else problems.push({ path: `${where}.servers`, message: url.failure });
  }
  const server = findFirstServer(document["servers"]);
  const isNeeded = own.length < operations.length;
  const usual = server === null ? null : resolveServerUrl(server, sourceUrl);
  if (usual !== null && !usual.ok && isNeeded) {
    problems.push({ path: "document.servers", message: usual.failure });
  }
  if (usual === null && isNeeded) {
    const message = "does not contain a server; set the API's URL with openapi.baseUrl";
    problems.push({ path: "document.servers", message });
  }
  if (problems.length > 0) return fail(problems);
  const [someOther = ""] = others.values();
  const base = usual?.ok === true ? usual.value : someOther;
  for (const [id, url] of others) if (url === base) others.delete(id);
  return ok({ baseUrl: base, others });
}

function findFirstServer(servers: Json | undefined): JsonObject | null {
  if (!Array.isArray(servers)) return null;
  const [first] = servers;
  return isJsonObject(first) ? first : null;
}

/** The absolute URL of a server, using the defaults of its variables, without a trailing slash. */
function resolveServerUrl(
  { url, variables }: JsonObject,
  sourceUrl: string | null,
): Result<string, string> {
  if (typeof url !== "string") return fail(`must have a url, got ${preview(url)}`);
  if (url.length > URL_BYTES_MAX)
    return fail(`must have a url of at most ${URL_BYTES_MAX} characters`);
  const unknown: string[] = [];
  const filled = url.replace(/\{([^{}]*)\}/g, (_, name: string) => {
    const value = findVariableDefault(variables, name);
    if (value === null) unknown.push(name);
    return value ?? "";
  });
  if (unknown.length > 0) {
    return fail(
      `has no default for the variable ${preview(unknown[0])} in its url; set the API's URL with openapi.baseUrl`,
    );
  }
  const parsed = URL.parse(filled, sourceUrl ?? undefined);
  if (parsed === null) {
    return fail(
      `has the url ${preview(url)}, which is not a valid absolute URL; set the API's URL with openapi.baseUrl`,
    );
  }
  if (parsed.protocol !== "https:" && parsed.protocol !== "http:") {
    return fail(
      `must have an http or https url, got ${preview(url)}; set the API's URL with openapi.baseUrl`,
    );
  }
  parsed.hash = "";
  parsed.search = "";
  return ok(parsed.href.replace(/\/+$/, ""));
}

function findVariableDefault(variables: Json | undefined, name: string): string | null {
  const variable = isJsonObject(variables) && Object.hasOwn(variables, name) ? variables[name] : {};
  if (!isJsonObject(variable)) return null;
  const { default: usual, enum: values } = variable;
  if (typeof usual === "string") return usual;
  const [first] = Array.isArray(values) ? values : [];
  return typeof first === "string" ? first : null;
}
