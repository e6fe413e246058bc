import type { Selection } from "../../../domain/tool.ts";
import { CAPABILITIES_MAX } from "../../../domain/limits.ts";
import { shown, type Problem } from "../../../domain/problem.ts";
import { fail, ok, type Result } from "../../../domain/result.ts";
import type { ListedOperation } from "./operations.ts";

const NAMES_SHOWN_MAX = 10;

/** The operations that have one of the tags or one of the names (operationId or capability id). */
export function selectOperations(
  operations: readonly ListedOperation[],
  selection: Selection,
  /** Told of what is selected and not there; null to refuse it. */
  onStranger: ((name: string) => void) | null,
): Result<readonly ListedOperation[], readonly Problem[]> {
  const tags = new Set(selection.tags);
  const names = new Set(selection.names);
  const existingTags = new Set(operations.flatMap((operation) => operation.tags));
  const existingNames = new Set(operations.flatMap(namesOf));
  const problems = [
    ...strangers("tags", tags, existingTags, existingTags),
    ...strangers("names", names, existingNames, new Set(operations.map(({ id }) => id))),
  ];
  if (problems.length > 0 && onStranger === null) return fail(problems);
  const gone = [...difference(tags, existingTags), ...difference(names, existingNames)];
  for (const name of gone) onStranger?.(shown(name));
  const isWhole = tags.size === 0 && names.size === 0;
  const selected = operations.filter(
    (operation) =>
      isWhole ||
      operation.tags.some((tag) => tags.has(tag)) ||
      namesOf(operation).some((name) => names.has(name)),
  );
  if (selected.length === 0 && problems.length > 0) return fail(problems);
  if (selected.length <= CAPABILITIES_MAX) return ok(selected);
  const message = `holds ${selected.length} operations, and a tool takes at most ${CAPABILITIES_MAX}; select some by tags or names`;
  return fail([{ path: "document.paths", message }]);
}

function namesOf({ id, operationId }: ListedOperation): string[] {
  return operationId === null ? [id] : [id, operationId];
}

function strangers(
  path: string,
  wanted: ReadonlySet<string>,
  existing: ReadonlySet<string>,
  shownOnes: ReadonlySet<string>,
): Problem[] {
  const some = [...shownOnes].slice(0, NAMES_SHOWN_MAX).map((name) => shown(name));
  const list = some.length === 0 ? "it has none" : `it has ${some.join(", ")}`;
  const rest = shownOnes.size > some.length ? ` and ${shownOnes.size - some.length} more` : "";
  return difference(wanted, existing).map((name) => ({
    path,
    message: `${shown(name)} is not in the document; ${list}${rest}`,
  }));
}

function difference(wanted: ReadonlySet<string>, existing: ReadonlySet<string>): string[] {
  return [...wanted].filter((name) => !existing.has(name));
}
