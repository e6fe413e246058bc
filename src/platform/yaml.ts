import {
  type Alias,
  isAlias,
  isMap,
  isScalar,
  isSeq,
  LineCounter,
  type Node,
  parseAllDocuments,
  parseDocument,
  visit,
} from "yaml";
import type { Json } from "../kernel/json.ts";
import { fail, ok, type Result, preview } from "../kernel/result.ts";

/** The documents of a YAML text; `warnings` are about tags. */
export interface YamlContent {
  readonly values: readonly Json[];
  readonly warnings: readonly string[];
  readonly hasMergeKey: boolean;
  /** Whether a value is text because JSON has no such number. */
  readonly hasTextNumbers: boolean;
}

const PARSER_OPTIONS = {
  schema: "core",
  intAsBigInt: true,
  // Both are quadratic in the library; `inspectYaml` finds repeated keys in one pass.
  prettyErrors: false,
  uniqueKeys: false,
  resolveKnownTags: false,
} as const;
const TOO_DEEP = "must be nested less deeply";

/**
 * The values of a YAML 1.2 text (core schema) with aliases expanded; failures read `must …`. "JSON or YAML":
 * exactly one document, "YAML": any number.
 */
export function parseYamlDocuments(
  text: string,
  expected: "YAML" | "JSON or YAML",
): Result<YamlContent, string> {
  const lineCounter = new LineCounter();
  const atLine = (offset: number): string => `(line ${lineCounter.linePos(offset).line})`;
  const values: Json[] = [];
  const warnings: string[] = [];
  const budget = { values: 0, characters: 0 };
  let hasMergeKey = false;
  let hasTextNumbers = false;
  try {
    // The log level "silent" would also accept further documents.
    const parsed =
      expected === "YAML"
        ? parseAllDocuments(text, { ...PARSER_OPTIONS, lineCounter, logLevel: "silent" })
        : [parseDocument(text, { ...PARSER_OPTIONS, lineCounter, logLevel: "error" })];
    for (const document of Array.isArray(parsed) ? parsed : []) {
      const [error] = document.errors;
      if (error !== undefined) {
        // The parser reports its own stack overflow as an error of the text.
        if (error.message.includes("call stack")) return fail(TOO_DEEP);
        return fail(`must be ${expected}: ${error.message} ${atLine(error.pos[0])}`);
      }
      const { failure, targets, hasMergeKey: isMerging } = inspectYaml(document.contents);
      if (failure !== null) return fail(`${failure.message} ${atLine(failure.offset)}`);
      const data = toJsonValue(document.contents, targets, budget);
      if (!data.ok) return data;
      values.push(data.value.value);
      warnings.push(...document.warnings.map(({ message }) => message));
      hasMergeKey ||= isMerging;
      hasTextNumbers ||= data.value.hasTextNumbers;
    }
  } catch (error) {
    if (error instanceof RangeError) return fail(TOO_DEEP);
    throw error;
  }
  return ok({ values, warnings, hasMergeKey, hasTextNumbers });
}

/** The targets of a document's aliases, and its first problem. */
interface YamlInspection {
  readonly targets: ReadonlyMap<Alias, Node>;
  readonly failure: { readonly message: string; readonly offset: number } | null;
  readonly hasMergeKey: boolean;
}

/** Resolves aliases to their last anchor and finds repeated keys in one pass; the library needs quadratic time. */
function inspectYaml(contents: Node | null): YamlInspection {
  const anchors = new Map<string, Node>();
  const targets = new Map<Alias, Node>();
  let failure: YamlInspection["failure"] = null;
  let hasMergeKey = false;

  function recordAnchor(node: Node & { anchor?: string | undefined }): void {
    if (node.anchor !== undefined) anchors.set(node.anchor, node);
  }

  visit(contents, {
    Alias(_, alias) {
      const target = anchors.get(alias.source);
      if (target !== undefined) {
        targets.set(alias, target);
        return undefined;
      }
      const message = `must anchor ${preview(alias.source)} before referring to it`;
      failure = { message, offset: alias.range?.[0] ?? 0 };
      return visit.BREAK;
    },
    Scalar(_, scalar) {
      recordAnchor(scalar);
    },
    Seq(_, seq) {
      recordAnchor(seq);
    },
    Map(_, map) {
      recordAnchor(map);
      const keys = new Set<string>();
      for (const { key } of map.items) {
        if (!isScalar(key)) continue;
        const name = String(key.value);
        if (keys.has(name)) {
          failure = {
            message: `must not repeat the key ${preview(name)}`,
            offset: key.range?.[0] ?? 0,
          };
          return visit.BREAK;
        }
        keys.add(name);
        hasMergeKey ||= name === "<<";
      }
      return undefined;
    },
  });
  return { targets, failure, hasMergeKey };
}

const DEPTH_MAX = 100;
const VALUES_MAX = 500_000;
const CHARACTERS_MAX = 8_000_000;

/** The size of the output so far, for all documents of a text. */
interface ConversionBudget {
  values: number;
  characters: number;
}

interface YamlConversion {
  readonly value: Json;
  readonly hasTextNumbers: boolean;
}

/**
 * The JSON value of a document with its aliases expanded; fails for too large or recursive aliases. Keys become
 * text, and so do numbers that JSON does not have, such as .inf or an unsafe integer.
 */
function toJsonValue(
  contents: Node | null,
  targets: ReadonlyMap<Alias, Node>,
  budget: ConversionBudget,
): Result<YamlConversion, string> {
  let failure: string | null = null;
  let hasTextNumbers = false;

  function convert(node: unknown, depth: number): Json {
    budget.values += 1;
    const isWithin = budget.values <= VALUES_MAX && budget.characters <= CHARACTERS_MAX;
    if (!isWithin || depth > DEPTH_MAX) {
      failure ??= `must hold at most ${VALUES_MAX} values, ${CHARACTERS_MAX} characters and ${DEPTH_MAX} levels once its aliases are written out`;
    }
    if (failure !== null) return null;
    if (isAlias(node)) return convert(targets.get(node), depth + 1);
    if (isScalar(node)) return convertScalar(node.value);
    if (isSeq(node)) return node.items.map((item) => convert(item, depth + 1));
    if (!isMap(node)) return null;
    return Object.fromEntries(
      node.items.map(({ key, value }) => [convertKey(key, depth + 1), convert(value, depth + 1)]),
    );
  }

  function convertKey(key: unknown, depth: number): string {
    const value = convert(key, depth);
    return typeof value === "string" ? value : JSON.stringify(value);
  }

  function convertScalar(value: unknown): Json {
    switch (typeof value) {
      case "string":
        budget.characters += value.length;
        if (!value.isWellFormed() || value.includes("\u0000")) {
          failure ??= "must hold only well-formed text without U+0000";
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
    hasTextNumbers = true;
    return number;
  }

  const value = convert(contents, 0);
  return failure === null ? ok({ value, hasTextNumbers }) : fail(failure);
}

function formatNonFinite(value: number): string {
  if (Number.isNaN(value)) return ".nan";
  return value > 0 ? ".inf" : "-.inf";
}
