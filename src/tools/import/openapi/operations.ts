import type { ImportSelection } from "../../model/tool.ts";
import { CAPABILITIES_MAX } from "../../limits.ts";
import { ID_CHARACTERS_MAX, PROBLEMS_REPORTED_MAX } from "../../../kernel/limits.ts";
import { preview, type Problem, fail, ok, type Result } from "../../../kernel/result.ts";
import { HTTP_METHODS, type HttpMethod } from "../../model/connector.ts";
import { isJsonObject, type JsonObject } from "../../../kernel/json.ts";
import {
  createNamePicker,
  listOfferedNames,
  type ImportNotes,
  trimToLength,
} from "../tool-draft.ts";
import { followReference, type ResolveReference } from "./references.ts";

interface NamedOperation {
  readonly operationId: string | null;
  readonly method: string;
  readonly path: string;
}

/**
 * Creates a unique id for each operation, such as `issues-list` or `issues-list-2`. The ids match IDENTIFIER_PATTERN.
 */
export function createCapabilityIds(operations: readonly NamedOperation[]): string[] {
  const taken = new Set<string>();
  const pickName = createNamePicker((name) => taken.has(name), ID_CHARACTERS_MAX);
  return operations.map(({ operationId, method, path }) => {
    const wanted =
      toIdentifier(operationId ?? "") || toIdentifier(`${method.toLowerCase()}${path}`);
    const id = pickName(wanted);
    taken.add(id);
    return id;
  });
}

/** Finds operations that repeat the operationId of an earlier operation. */
export function findRepeatedOperationIds<Operation extends Pick<NamedOperation, "operationId">>(
  operations: readonly Operation[],
): ReadonlySet<Operation> {
  const seen = new Set<string>();
  const repeating = operations.filter(({ operationId }) => {
    if (operationId === null) return false;
    const isKnown = seen.has(operationId);
    seen.add(operationId);
    return isKnown;
  });
  return new Set(repeating);
}

function toIdentifier(text: string): string {
  return text
    .slice(0, 2 * ID_CHARACTERS_MAX)
    .replace(/[^A-Za-z0-9._:@-]+/g, "-")
    .replace(/^[^A-Za-z0-9]+/, "")
    .slice(0, ID_CHARACTERS_MAX)
    .replace(/-+$/, "");
}

/** An operation in the document, with the id of its capability. */
export interface ListedOperation {
  readonly id: string;
  /** The operationId; null if there is none. */
  readonly operationId: string | null;
  readonly method: HttpMethod;
  readonly path: string;
  readonly tags: readonly string[];
  /** The path to report in problems, such as `document.paths./pets.get`. */
  readonly where: string;
  readonly item: JsonObject;
  readonly operation: JsonObject;
}

/** More operations would need too much memory. GitHub has 1,200. */
const OPERATIONS_MAX = 20_000;

/** The maximum number of tags to read per operation. Most operations have one or two. */
const TAGS_MAX = 50;
const PATH_SHOWN_MAX = 100;

const OTHER_METHODS = ["options", "trace", "query"] as const;

/** Lists the supported operations of each path. Ids are unique and do not depend on the selection. */
export function listOperations(
  document: JsonObject,
  resolve: ResolveReference,
  notes: ImportNotes,
): Result<readonly ListedOperation[], readonly Problem[]> {
  const { paths } = document;
  if (!isJsonObject(paths)) {
    const message = `must be an object that contains the API's paths, got ${preview(paths)}`;
    return fail([{ path: "document.paths", message }]);
  }
  const nameless: Omit<ListedOperation, "id">[] = [];
  const problems: Problem[] = [];
  for (const [path, value] of Object.entries(paths)) {
    if (!path.startsWith("/")) continue;
    const where = `document.paths.${path}`;
    const item = followReference(value, resolve);
    if (problems.length >= PROBLEMS_REPORTED_MAX) break;
    if (!item.ok) {
      problems.push({ path: where, message: item.failure });
      continue;
    }
    nameless.push(...listPathOperations(item.value, path, problems));
    if (nameless.length > OPERATIONS_MAX) {
      const message = `must have at most ${OPERATIONS_MAX} operations`;
      return fail([{ path: "document.paths", message }]);
    }
    for (const method of OTHER_METHODS) {
      if (!isJsonObject(item.value[method])) continue;
      notes.add(
        `Omitted because ${method.toUpperCase()} requests are not supported`,
        trimToLength(path, PATH_SHOWN_MAX),
      );
    }
  }
  if (problems.length > 0) return fail(problems);
  if (nameless.length === 0) {
    const message = `must contain at least one operation (${HTTP_METHODS.join(", ")})`;
    return fail([{ path: "document.paths", message }]);
  }
  const ids = createCapabilityIds(nameless);
  return ok(nameless.map((operation, index) => ({ ...operation, id: ids[index] ?? "" })));
}

function listPathOperations(
  item: JsonObject,
  path: string,
  problems: Problem[],
): Omit<ListedOperation, "id">[] {
  return HTTP_METHODS.flatMap((method) => {
    const key = method.toLowerCase();
    const operation = item[key];
    if (operation === undefined) return [];
    const where = `document.paths.${path}.${key}`;
    if (!isJsonObject(operation)) {
      problems.push({ path: where, message: `must be an object, got ${preview(operation)}` });
      return [];
    }
    const { operationId, tags } = operation;
    return {
      operationId: typeof operationId === "string" && operationId !== "" ? operationId : null,
      method,
      path,
      tags: Array.isArray(tags)
        ? tags.slice(0, TAGS_MAX).filter((tag) => typeof tag === "string")
        : [],
      where,
      item,
      operation,
    };
  });
}

/**
 * Selects the operations that have one of the tags or names (operationId or capability id). An empty selection selects
 * all.
 */
export function selectOperations(
  operations: readonly ListedOperation[],
  selection: ImportSelection,
  /** Called with each selected tag or name that does not exist; null to fail instead. */
  onUnknownName: ((name: string) => void) | null,
): Result<readonly ListedOperation[], readonly Problem[]> {
  const tags = new Set(selection.tags);
  const names = new Set(selection.names);
  const existingTags = new Set(operations.flatMap((operation) => operation.tags));
  const existingNames = new Set(operations.flatMap(operationNames));
  const problems = [
    ...checkUnknown("tags", tags, existingTags, existingTags),
    ...checkUnknown("names", names, existingNames, new Set(operations.map(({ id }) => id))),
  ];
  if (problems.length > 0 && onUnknownName === null) return fail(problems);
  const gone = [...tags.difference(existingTags), ...names.difference(existingNames)];
  for (const name of gone) onUnknownName?.(preview(name));
  const isWhole = tags.size === 0 && names.size === 0;
  const selected = operations.filter(
    (operation) =>
      isWhole ||
      operation.tags.some((tag) => tags.has(tag)) ||
      operationNames(operation).some((name) => names.has(name)),
  );
  if (selected.length === 0 && problems.length > 0) return fail(problems);
  if (selected.length <= CAPABILITIES_MAX) return ok(selected);
  const message = `has ${selected.length} operations, but a tool can have at most ${CAPABILITIES_MAX}; select fewer by tag or name`;
  return fail([{ path: "document.paths", message }]);
}

function operationNames({ id, operationId }: ListedOperation): string[] {
  return operationId === null ? [id] : [id, operationId];
}

function checkUnknown(
  path: string,
  wanted: ReadonlySet<string>,
  existing: ReadonlySet<string>,
  shownNames: ReadonlySet<string>,
): Problem[] {
  const offered = listOfferedNames([...shownNames]);
  return [...wanted.difference(existing)].map((name) => ({
    path,
    message: `${preview(name)} is not in the document, which has ${offered}`,
  }));
}
