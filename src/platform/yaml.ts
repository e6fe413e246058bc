import {
  type Alias,
  isAlias,
  isMap,
  isNode,
  isScalar,
  isSeq,
  LineCounter,
  type Node,
  parseAllDocuments,
  parseDocument,
  type YAMLMap,
} from "yaml";
import type { Json } from "../kernel/json.ts";
import { fail, ok, type Result, preview } from "../kernel/result.ts";

/** The documents in a YAML text. The `warnings` are about tags. */
export interface YamlContent {
  readonly values: readonly Json[];
  readonly warnings: readonly string[];
  readonly hasMergeKey: boolean;
  /** Whether a number was kept as text because JSON cannot represent it. */
  readonly hasTextNumbers: boolean;
}

const PARSER_OPTIONS = {
  schema: "core",
  intAsBigInt: true,
  // If enabled, `prettyErrors` and `uniqueKeys` would take quadratic time. `createConverter` finds repeated keys in one
  // pass.
  prettyErrors: false,
  uniqueKeys: false,
  resolveKnownTags: false,
} as const;
const TOO_DEEP = "must be nested less deeply";

/**
 * Parses the documents of a YAML 1.2 text (core schema) and expands their aliases. Failures start with "must". "JSON or
 * YAML" requires exactly one document; "YAML" allows any number.
 */
export function parseYamlDocuments(
  text: string,
  expected: "YAML" | "JSON or YAML",
): Result<YamlContent, string> {
  const lineCounter = new LineCounter();
  const atLine = (offset: number): string => `(line ${lineCounter.linePos(offset).line})`;
  const values: Json[] = [];
  const warnings: string[] = [];
  const found = { values: 0, characters: 0, hasMergeKey: false, hasTextNumbers: false };
  try {
    // The log level "silent" would accept more than one document.
    const parsed =
      expected === "YAML"
        ? parseAllDocuments(text, { ...PARSER_OPTIONS, lineCounter, logLevel: "silent" })
        : [parseDocument(text, { ...PARSER_OPTIONS, lineCounter, logLevel: "error" })];
    for (const document of Array.isArray(parsed) ? parsed : []) {
      const [error] = document.errors;
      if (error !== undefined) {
        // The parser reports its own stack overflow as an error in the text.
        if (error.message.includes("call stack")) return fail(TOO_DEEP);
        return fail(`must be ${expected}: ${error.message} ${atLine(error.pos[0])}`);
      }
      values.push(createConverter(found)(document.contents, 0));
      warnings.push(...document.warnings.map(({ message }) => message));
    }
  } catch (error) {
    if (error instanceof RangeError) return fail(TOO_DEEP);
    if (!(error instanceof UnusableYaml)) throw error;
    return fail(error.offset === null ? error.message : `${error.message} ${atLine(error.offset)}`);
  }
  const { hasMergeKey, hasTextNumbers } = found;
  return ok({ values, warnings, hasMergeKey, hasTextNumbers });
}

/** Aborts a conversion at any depth. `offset` is the position in the text; null if there is no single position. */
class UnusableYaml extends Error {
  readonly offset: number | null;

  constructor(message: string, offset: number | null) {
    super(message);
    this.offset = offset;
  }
}

const DEPTH_MAX = 100;
const VALUES_MAX = 500_000;
const CHARACTERS_MAX = 8_000_000;

/** The size and properties of the output so far, for all documents in a text. */
interface ConversionState {
  values: number;
  characters: number;
  hasMergeKey: boolean;
  hasTextNumbers: boolean;
}

/**
 * Converts a document's nodes to JSON and expands their aliases. Keys become text, as do numbers that JSON cannot
 * represent, such as .inf or an unsafe integer. The library would take quadratic time for aliases and repeated keys.
 */
function createConverter(state: ConversionState): (node: unknown, depth: number) => Json {
  const anchors = new Map<string, Node>();
  /** Each anchor and alias is read only once, because a later anchor can have the same name. */
  const anchored = new Set<Node>();
  const targets = new Map<Alias, Node>();

  function convert(node: unknown, depth: number): Json {
    state.values += 1;
    const isWithin = state.values <= VALUES_MAX && state.characters <= CHARACTERS_MAX;
    if (!isWithin || depth > DEPTH_MAX) {
      const message = `must have at most ${VALUES_MAX} values, ${CHARACTERS_MAX} characters and ${DEPTH_MAX} levels after its aliases are expanded`;
      throw new UnusableYaml(message, null);
    }
    if (isAlias(node)) return convert(resolveAlias(node), depth + 1);
    if (isNode(node) && node.anchor !== undefined && !anchored.has(node)) {
      anchored.add(node);
      anchors.set(node.anchor, node);
    }
    if (isScalar(node)) return convertScalar(node.value);
    if (isSeq(node)) return node.items.map((item) => convert(item, depth + 1));
    return isMap(node) ? convertMap(node, depth) : null;
  }

  function resolveAlias(alias: Alias): Node {
    const target = targets.get(alias) ?? anchors.get(alias.source);
    if (target === undefined) {
      const message = `must define the anchor ${preview(alias.source)} before its alias`;
      throw new UnusableYaml(message, alias.range?.[0] ?? 0);
    }
    targets.set(alias, target);
    return target;
  }

  function convertMap({ items }: YAMLMap, depth: number): Json {
    const names = new Set<string>();
    const entries = items.map(({ key, value }): [string, Json] => {
      if (isScalar(key)) {
        const name = String(key.value);
        if (names.has(name)) {
          const message = `must not repeat the key ${preview(name)}`;
          throw new UnusableYaml(message, key.range?.[0] ?? 0);
        }
        names.add(name);
        state.hasMergeKey ||= name === "<<";
      }
      return [convertKey(key, depth + 1), convert(value, depth + 1)];
    });
    return Object.fromEntries(entries);
  }

  function convertKey(key: unknown, depth: number): string {
    const value = convert(key, depth);
    return typeof value === "string" ? value : JSON.stringify(value);
  }

  function convertScalar(value: unknown): Json {
    switch (typeof value) {
      case "string":
        state.characters += value.length;
        if (!value.isWellFormed() || value.includes("\u0000")) {
          throw new UnusableYaml("must contain only well-formed text without U+0000", null);
        }
        return value;
      case "boolean":
        return value;
      case "number":
        return Number.isFinite(value) ? value : keepAsText(formatNonFinite(value));
      case "bigint":
        return Number.isSafeInteger(Number(value)) ? Number(value) : keepAsText(String(value));
      default:
        return null;
    }
  }

  function keepAsText(number: string): string {
    state.hasTextNumbers = true;
    return number;
  }

  return convert;
}

function formatNonFinite(value: number): string {
  if (Number.isNaN(value)) return ".nan";
  return value > 0 ? ".inf" : "-.inf";
}
