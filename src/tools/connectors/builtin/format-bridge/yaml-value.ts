import { isAlias, isMap, isScalar, isSeq, type Alias, type Node } from "yaml";
import type { Json } from "../../../../domain/json.ts";
import { fail, ok, type Result } from "../../../../domain/result.ts";

const DEPTH_MAX = 100;
const VALUES_MAX = 500_000;
const CHARACTERS_MAX = 8_000_000;

/** What has been written out so far, over all documents of a text. */
interface Budget {
  values: number;
  characters: number;
}

interface Conversion {
  readonly value: Json;
  readonly hasTextNumbers: boolean;
}

/**
 * The JSON value of a document, its aliases written out; a bomb, or an alias to what it is in, fails.
 * Keys become text. What JSON has no number for, such as .inf or an unsafe integer, becomes text.
 */
export function yamlValue(
  contents: Node | null,
  targets: ReadonlyMap<Alias, Node>,
  budget: Budget,
): Result<Conversion, string> {
  let fault: string | null = null;
  let hasTextNumbers = false;

  function convert(node: unknown, depth: number): Json {
    budget.values += 1;
    const isWithin = budget.values <= VALUES_MAX && budget.characters <= CHARACTERS_MAX;
    if (!isWithin || depth > DEPTH_MAX) {
      fault ??= `must hold at most ${VALUES_MAX} values, ${CHARACTERS_MAX} characters and ${DEPTH_MAX} levels once its aliases are written out`;
    }
    if (fault !== null) return null;
    if (isAlias(node)) return convert(targets.get(node), depth + 1);
    if (isScalar(node)) return scalar(node.value);
    if (isSeq(node)) return node.items.map((item) => convert(item, depth + 1));
    if (!isMap(node)) return null;
    return Object.fromEntries(
      node.items.map(({ key, value }) => [keyText(key, depth + 1), convert(value, depth + 1)]),
    );
  }

  function keyText(key: unknown, depth: number): string {
    const value = convert(key, depth);
    return typeof value === "string" ? value : JSON.stringify(value);
  }

  function scalar(value: unknown): Json {
    switch (typeof value) {
      case "string":
        budget.characters += value.length;
        if (!value.isWellFormed() || value.includes("\u0000")) {
          fault ??= "must hold only well-formed text without U+0000";
        }
        return value;
      case "boolean":
        return value;
      case "number":
        return Number.isFinite(value) ? value : textOf(nonFinite(value));
      case "bigint":
        return Number.isSafeInteger(Number(value)) ? Number(value) : textOf(String(value));
      default:
        return null;
    }
  }

  function textOf(number: string): string {
    hasTextNumbers = true;
    return number;
  }

  const value = convert(contents, 0);
  return fault === null ? ok({ value, hasTextNumbers }) : fail(fault);
}

function nonFinite(value: number): string {
  if (Number.isNaN(value)) return ".nan";
  return value > 0 ? ".inf" : "-.inf";
}
