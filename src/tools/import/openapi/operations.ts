import { HTTP_METHODS, type HttpMethod } from "../../../domain/connector.ts";
import { isJsonObject, type Json, type JsonObject } from "../../../domain/json.ts";
import { PROBLEMS_TOLD_MAX } from "../../../domain/limits.ts";
import { shown, type Problem } from "../../../domain/problem.ts";
import { fail, ok, type Result } from "../../../domain/result.ts";
import type { Notes } from "./notes.ts";
import { identifiers } from "./operation-id.ts";
import { follow, type Resolve } from "./references.ts";
import { cut } from "./text.ts";

/** An operation as the document has it, with the id that its capability gets. */
export interface ListedOperation {
  readonly id: string;
  /** The document's own id; null when it has none. */
  readonly operationId: string | null;
  readonly method: HttpMethod;
  readonly path: string;
  readonly tags: readonly string[];
  /** Where it stands, for problems: `document.paths./pets.get`. */
  readonly where: string;
  readonly item: JsonObject;
  readonly operation: JsonObject;
}

/** Listing more would take the memory that reading a selection of them needs; GitHub has 1,200. */
const OPERATIONS_MAX = 20_000;

/** Tags of one operation that are looked at; documents have one or two. */
const TAGS_MAX = 50;
const PATH_SHOWN_MAX = 100;

const METHODS: readonly { readonly key: string; readonly method: HttpMethod }[] = HTTP_METHODS.map(
  (method) => ({ key: method.toLowerCase(), method }),
);
const OTHER_METHODS = ["options", "trace", "query"] as const;

/** Every operation of the document in its order; ids are unique and do not depend on a selection. */
export function listOperations(
  document: JsonObject,
  resolve: Resolve,
  notes: Notes,
): Result<readonly ListedOperation[], readonly Problem[]> {
  const { paths } = document;
  if (!isJsonObject(paths)) {
    const message = `must be an object with the paths of the API, got ${shown(paths)}`;
    return fail([{ path: "document.paths", message }]);
  }
  const nameless: Omit<ListedOperation, "id">[] = [];
  const problems: Problem[] = [];
  for (const [path, value] of Object.entries(paths)) {
    if (!path.startsWith("/")) continue;
    const where = `document.paths.${path}`;
    const item = follow(value, resolve);
    if (problems.length >= PROBLEMS_TOLD_MAX) break;
    if (!item.ok) {
      problems.push({ path: where, message: item.failure });
      continue;
    }
    nameless.push(...operationsOf(item.value, path, problems));
    if (nameless.length > OPERATIONS_MAX) {
      const message = `must hold at most ${OPERATIONS_MAX} operations`;
      return fail([{ path: "document.paths", message }]);
    }
    for (const method of OTHER_METHODS) {
      if (!isJsonObject(item.value[method])) continue;
      notes.add(
        `Left out, as ${method.toUpperCase()} requests are not supported`,
        cut(path, PATH_SHOWN_MAX),
      );
    }
  }
  if (problems.length > 0) return fail(problems);
  if (nameless.length === 0) {
    const message = `must hold an operation that is called by ${HTTP_METHODS.join(", ")}`;
    return fail([{ path: "document.paths", message }]);
  }
  const ids = identifiers(nameless);
  return ok(nameless.map((operation, index) => ({ ...operation, id: ids[index] ?? "" })));
}

function operationsOf(
  item: JsonObject,
  path: string,
  problems: Problem[],
): Omit<ListedOperation, "id">[] {
  return METHODS.flatMap(({ key, method }) => {
    const operation = item[key];
    if (operation === undefined) return [];
    const where = `document.paths.${path}.${key}`;
    if (!isJsonObject(operation)) {
      problems.push({ path: where, message: `must be an object, got ${shown(operation)}` });
      return [];
    }
    const { operationId, tags } = operation;
    return {
      operationId: typeof operationId === "string" && operationId !== "" ? operationId : null,
      method,
      path,
      tags: Array.isArray(tags) ? tags.slice(0, TAGS_MAX).filter(isString) : [],
      where,
      item,
      operation,
    };
  });
}

function isString(value: Json): value is string {
  return typeof value === "string";
}
