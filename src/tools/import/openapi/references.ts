import { asJson, isJsonObject, type Json, type JsonObject } from "../../../kernel/json.ts";
import { preview, fail, ok, type Result } from "../../../kernel/result.ts";

/** Returns a cycle, such as `["a", "b", "a"]`, or null. Does not recurse. */
export function findCycle(edges: ReadonlyMap<string, ReadonlySet<string>>): string[] | null {
  const done = new Set<string>();
  const way: { node: string; next: Iterator<string> }[] = [];
  const openNodes = new Set<string>();

  function enter(node: string): void {
    if (done.has(node)) return;
    openNodes.add(node);
    way.push({ node, next: (edges.get(node) ?? new Set<string>()).values() });
  }

  for (const start of edges.keys()) {
    enter(start);
    for (let step = way.at(-1); step !== undefined; step = way.at(-1)) {
      const next = step.next.next();
      if (next.done === true) {
        done.add(step.node);
        openNodes.delete(step.node);
        way.pop();
      } else if (openNodes.has(next.value)) {
        const nodes = way.map(({ node }) => node);
        return [...nodes.slice(nodes.indexOf(next.value)), next.value];
      } else {
        enter(next.value);
      }
    }
  }
  return null;
}

/** The target of a `$ref`: its decoded JSON Pointer (RFC 6901) and its value. */
interface ReferenceTarget {
  readonly pointer: string;
  readonly value: Json;
}

/** Resolves a `$ref`. The failure is phrased to follow the path of the reference. */
export type ResolveReference = (reference: string) => Result<ReferenceTarget, string>;

const REFERENCE_CHARACTERS_MAX = 2_000;
/** Longer chains of references are treated as cycles. */
const HOPS_MAX = 20;

/** Resolves references within a document. Nothing is fetched. */
export async function createReferenceResolver(document: JsonObject): Promise<ResolveReference> {
  const { JSONPointer } = await import("json-p3");
  return (reference) => {
    if (!reference.startsWith("#")) {
      return fail(
        `must not refer to ${preview(reference)}, because only references within the document (#/…) are resolved; bundle the files into one document first`,
      );
    }
    const pointer =
      reference.length > REFERENCE_CHARACTERS_MAX ? null : decodeFragment(reference.slice(1));
    if (pointer === null || (pointer !== "" && !pointer.startsWith("/"))) {
      return fail(
        `must refer to a location by JSON Pointer (#/components/…), got ${preview(reference)}`,
      );
    }
    const parsed = new JSONPointer(pointer);
    if (!parsed.exists(document)) {
      return fail(`refers to ${preview(reference)}, which is not in the document`);
    }
    return ok({ pointer, value: asJson(parsed.resolve(document)) });
  };
}

/** Follows a value's references, if it has any, to an object. */
export function followReference(
  value: Json | undefined,
  resolve: ResolveReference,
): Result<JsonObject, string> {
  let current = value;
  for (let hops = 0; hops < HOPS_MAX; hops += 1) {
    if (!isJsonObject(current)) return fail(`must be an object, got ${preview(current)}`);
    if (typeof current["$ref"] !== "string") return ok(current);
    const target = resolve(current["$ref"]);
    if (!target.ok) return target;
    current = target.value.value;
  }
  return fail("must not refer to itself, directly or through other references");
}

function decodeFragment(fragment: string): string | null {
  try {
    return decodeURIComponent(fragment);
  } catch {
    return null;
  }
}
