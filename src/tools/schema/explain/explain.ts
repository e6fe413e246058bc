import { isJsonObject, type Json, type JsonObject } from "../../../kernel/json.ts";
import type { Problem } from "../../../kernel/result.ts";
import type { ValidatorOutput } from "../validator.ts";
import {
  formatListWithRest,
  formatMismatch,
  formatOneOf,
  formatShownName,
  indexByLocation,
  listDiscriminators,
  type Mismatch,
  selectNearestAlternative,
} from "./mismatch.ts";
import { toMismatches, isFalseSchema } from "./keyword-errors.ts";
import {
  lastPartOf,
  parseLocation,
  formatInstancePath,
  findSchemaAt,
  findValueAt,
} from "./locations.ts";
import type { OutputUnit } from "@cfworker/json-schema";

/** A validator error and the errors nested under it. */
interface SchemaErrorNode {
  readonly keyword: string;
  /** The location in the schema, including references: `#/properties/a/$ref/type`. */
  readonly keywordLocation: string;
  /** The location in the document: `#/a/0`. */
  readonly location: string;
  readonly below: SchemaErrorNode[];
}

// The validator repeats these errors for every name, but one is enough.
const REPEATED_KEYWORDS = new Set(["required", "dependentRequired", "dependencies"]);

/** Converts the validator's flat list to trees. In the list, each error is followed by the errors nested under it. */
function buildSchemaErrorTree(units: readonly OutputUnit[]): SchemaErrorNode[] {
  const roots: SchemaErrorNode[] = [];
  const open: SchemaErrorNode[] = [];
  for (const { keyword, keywordLocation, instanceLocation } of units) {
    const error: SchemaErrorNode = {
      keyword,
      keywordLocation,
      location: instanceLocation,
      below: [],
    };
    while (open.length > 0 && !isAncestor(open.at(-1), error)) open.pop();
    const siblings = open.at(-1)?.below ?? roots;
    if (keyword === "minContains") dropContainsErrors(siblings, keywordLocation);
    if (!isDuplicate(siblings.at(-1), error)) siblings.push(error);
    open.push(error);
  }
  return roots;
}

function isAncestor(
  above: SchemaErrorNode | undefined,
  { keywordLocation }: SchemaErrorNode,
): boolean {
  if (above === undefined) return false;
  if (above.keyword !== "if") return keywordLocation.startsWith(`${above.keywordLocation}/`);
  const schemaLocation = above.keywordLocation.slice(0, -"if".length);
  return ["then/", "else/"].some((arm) => keywordLocation.startsWith(`${schemaLocation}${arm}`));
}

/** Drops the reports on items that did not match `contains`, because such items are allowed. */
function dropContainsErrors(siblings: SchemaErrorNode[], keywordLocation: string): void {
  const tried = `${keywordLocation.slice(0, -"minContains".length)}contains/`;
  while (siblings.at(-1)?.keywordLocation.startsWith(tried) === true) siblings.pop();
}

function isDuplicate(before: SchemaErrorNode | undefined, error: SchemaErrorNode): boolean {
  return (
    before !== undefined &&
    before.below.length === 0 &&
    REPEATED_KEYWORDS.has(error.keyword) &&
    before.keywordLocation === error.keywordLocation &&
    before.location === error.location
  );
}

// More problems than this are not useful in one response.
const PROBLEMS_MAX = 100;

interface ExplainContext {
  readonly document: Json;
  readonly findings: ValidatorOutput;
}

/** The problems in a document called `name`, at most one per path, at the deepest possible paths. */
export function explainErrors(name: string, context: ExplainContext): Problem[] {
  const { document, findings } = context;
  const found = collectMismatches(context, buildSchemaErrorTree(findings.errors), null);
  return [...indexByLocation(found).values()].slice(0, PROBLEMS_MAX).map((finding) => ({
    path: formatInstancePath(name, document, finding.location),
    message: formatMismatch(finding),
  }));
}

/**
 * Collects the mismatches of all errors. `ofName` is the property name that the errors are about; null if they are
 * about values.
 */
function collectMismatches(
  context: ExplainContext,
  errors: readonly SchemaErrorNode[],
  ofName: string | null,
  into: Mismatch[] = [],
): Mismatch[] {
  for (const error of filterCertain(errors)) {
    const extra = ofName === null ? findExtraMember(context, error) : null;
    if (extra !== null) into.push(extra);
    else if (error.keyword === "anyOf" || error.keyword === "oneOf") {
      appendAll(into, explainAlternatives(context, error, ofName));
    } else if (error.keyword === "propertyNames")
      appendAll(into, explainPropertyName(context, error));
    else if (error.below.length > 0) collectMismatches(context, error.below, ofName, into);
    else {
      const { findings, document } = context;
      const schema = findSchemaAt(findings, error.keywordLocation) ?? {};
      const value = ofName ?? findValueAt(document, error.location);
      appendAll(
        into,
        toMismatches(error.keyword, { findings, schema, value, location: error.location }),
      );
    }
  }
  return into;
}

/**
 * Drops `unevaluated…` errors that occur alongside other errors, because the other errors can leave a correct member
 * unevaluated.
 */
function filterCertain(errors: readonly SchemaErrorNode[]): SchemaErrorNode[] {
  const firm = errors.filter(({ keyword }) => !keyword.startsWith("unevaluated"));
  const wrongPlaces = new Set(firm.map(parentLocationOf));
  const others = errors.filter(({ keyword }) => keyword.startsWith("unevaluated"));
  return [...firm, ...others.filter((error) => !wrongPlaces.has(parentLocationOf(error)))];
}

function parentLocationOf({ keywordLocation }: SchemaErrorNode): string {
  return keywordLocation.slice(0, keywordLocation.lastIndexOf("/"));
}

/** A member or item that the schema does not allow. */
function findExtraMember({ findings }: ExplainContext, error: SchemaErrorNode): Mismatch | null {
  const [below] = error.below;
  if (below === undefined || below.keyword !== "not") return null;
  if (!isFalseSchema(findSchemaAt(findings, below.keywordLocation))) return null;
  const schema = findSchemaAt(findings, error.keywordLocation) ?? {};
  const { location } = below;
  switch (error.keyword) {
    case "additionalProperties":
      return {
        kind: "extra",
        location,
        message: () => `is not a known field${formatKnownFields(schema)}`,
      };
    case "unevaluatedProperties":
      return { kind: "extra", location, message: () => "is not a known field" };
    case "items":
    case "additionalItems":
    case "unevaluatedItems":
      return {
        kind: "extra",
        location,
        message: () => "is not allowed, because the list has too many items",
      };
    default:
      return null;
  }
}

function formatKnownFields(schema: JsonObject): string {
  const properties = schema["properties"];
  const names = isJsonObject(properties) ? Object.keys(properties) : [];
  const isOpen = schema["patternProperties"] !== undefined;
  return names.length === 0 || isOpen
    ? ""
    : `; known fields: ${formatListWithRest(names, formatShownName)}`;
}

function explainAlternatives(
  context: ExplainContext,
  error: SchemaErrorNode,
  ofName: string | null,
): Mismatch[] {
  const { keyword, keywordLocation, location, below } = error;
  const groups = new Map<string, SchemaErrorNode[]>();
  for (const lower of below) {
    const index = parseLocation(lower.keywordLocation.slice(keywordLocation.length))[0] ?? "";
    groups.set(index, [...(groups.get(index) ?? []), lower]);
  }
  const schemas = findSchemaAt(context.findings, keywordLocation)?.[keyword];
  const alternatives = Array.isArray(schemas) ? schemas : [];
  if (keyword === "oneOf" && groups.size < alternatives.length) {
    const fitting = alternatives.length - groups.size;
    const message = () => formatOneOf(context.findings, alternatives, fitting);
    return [{ kind: "other", location, message }];
  }
  const found = [...groups.values()].map((errors) => collectMismatches(context, errors, ofName));
  const discriminators = listDiscriminators(context.findings, alternatives);
  return selectNearestAlternative(location, found, discriminators);
}

/** One mismatch per name, located at the property with that name. */
function explainPropertyName(context: ExplainContext, error: SchemaErrorNode): Mismatch[] {
  const name = lastPartOf(error.below[0]?.location ?? "");
  return [...indexByLocation(collectMismatches(context, error.below, name)).values()].map(
    (finding) => ({
      kind: "other",
      location: finding.location,
      message: () => `has an invalid name, which ${formatMismatch(finding)}`,
    }),
  );
}

function appendAll(into: Mismatch[], findings: readonly Mismatch[]): void {
  for (const finding of findings) into.push(finding);
}
