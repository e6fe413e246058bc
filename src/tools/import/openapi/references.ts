import { isJsonObject, type Json, type JsonObject } from "../../../domain/json.ts";
import { shown } from "../../../domain/problem.ts";
import { fail, ok, type Result } from "../../../domain/result.ts";

/** What a `$ref` points to: the JSON Pointer (RFC 6901), decoded, and the value there. */
export interface Target {
  readonly pointer: string;
  readonly value: Json;
}

/** Finds the target of a `$ref`; the failure says what is wrong: `must …`. */
export type Resolve = (reference: string) => Result<Target, string>;

const REFERENCE_CHARACTERS_MAX = 2_000;
/** Longer chains of references, each to the next, are circles or jokes. */
const HOPS_MAX = 20;

/** Resolves references within a document. Nothing outside is ever fetched: an import is no proxy. */
export async function resolverOf(document: JsonObject): Promise<Resolve> {
  const { JSONPointer } = await import("json-p3");
  return (reference) => {
    if (!reference.startsWith("#")) {
      return fail(
        `must not refer to ${shown(reference)}: only references within the document (#/…) are followed; bundle it into one document first`,
      );
    }
    const pointer =
      reference.length > REFERENCE_CHARACTERS_MAX ? null : decoded(reference.slice(1));
    if (pointer === null || (pointer !== "" && !pointer.startsWith("/"))) {
      return fail(`must refer by a JSON Pointer (#/components/…), got ${shown(reference)}`);
    }
    const parsed = new JSONPointer(pointer);
    if (!parsed.exists(document)) {
      return fail(`refers to ${shown(reference)}, which is not in the document`);
    }
    return ok({ pointer, value: asJson(parsed.resolve(document)) });
  };
}

/** The object that a value is or refers to, over any number of steps. */
export function follow(value: Json | undefined, resolve: Resolve): Result<JsonObject, string> {
  let current = value;
  for (let hops = 0; hops < HOPS_MAX; hops += 1) {
    if (!isJsonObject(current)) return fail(`must be an object, got ${shown(current)}`);
    if (typeof current["$ref"] !== "string") return ok(current);
    const target = resolve(current["$ref"]);
    if (!target.ok) return target;
    current = target.value.value;
  }
  return fail("must not refer to itself, directly or through other references");
}

function decoded(fragment: string): string | null {
  try {
    return decodeURIComponent(fragment);
  } catch {
    return null;
  }
}

/** A part of a JSON document is JSON; json-p3 has a wider type for it. */
function asJson(value: unknown): Json {
  return value as Json;
}
