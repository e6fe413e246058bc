import { ID_CHARACTERS_MAX } from "../../../domain/limits.ts";

interface Named {
  readonly operationId: string | null;
  readonly method: string;
  readonly path: string;
}

/** An id for each operation, fit for IDENTIFIER and unique: `issues-list`, `issues-list-2`. */
export function identifiers(operations: readonly Named[]): string[] {
  const taken = new Set<string>();
  // Where the search for a free number goes on, so that a thousand equal names stay linear.
  const numbers = new Map<string, number>();
  return operations.map(({ operationId, method, path }) => {
    const wanted = fit(operationId ?? "") || fit(`${method.toLowerCase()}${path}`);
    let id = wanted;
    for (let number = numbers.get(wanted) ?? 2; taken.has(id); number += 1) {
      const suffix = `-${number}`;
      id = `${wanted.slice(0, ID_CHARACTERS_MAX - suffix.length)}${suffix}`;
      numbers.set(wanted, number + 1);
    }
    taken.add(id);
    return id;
  });
}

/** The operations whose operationId stands at an operation before them, too. */
export function repeaters<Operation extends Pick<Named, "operationId">>(
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

function fit(text: string): string {
  return text
    .slice(0, 2 * ID_CHARACTERS_MAX)
    .replace(/[^A-Za-z0-9._:@-]+/g, "-")
    .replace(/^[^A-Za-z0-9]+/, "")
    .slice(0, ID_CHARACTERS_MAX)
    .replace(/-+$/, "");
}
