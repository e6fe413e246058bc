import { dereference, validate, type OutputUnit, type SchemaDraft } from "@cfworker/json-schema";
import type { RE2JS } from "re2js";
import { isJsonObject, type Json, type JsonObject } from "../../kernel/json.ts";
import { preview, type Problem, fail, ok, type Result } from "../../kernel/result.ts";
import { compileLinearPattern, SOURCE_CHARACTERS_MAX } from "./linear-pattern.ts";
import { computeCompileUnits } from "./work-limit.ts";
import { hasRepeatedItems } from "./document-facts.ts";
import { inspectSchema, type SchemaInspection } from "./inspect-schema.ts";
import { isKnownFormat } from "./schema-keywords.ts";
import { createWorkEstimate, type CompiledSchema } from "./validation-work.ts";

export interface ValidatorInput {
  readonly document: Json;
  readonly schema: JsonObject;
  readonly draft: SchemaDraft;
}

/** The validator's errors, and the data needed to resolve their locations. */
export interface ValidatorOutput {
  /** Each error is followed by the errors nested under it. Empty if the document is valid. */
  readonly errors: OutputUnit[];
  /** The schema that was applied. */
  readonly schema: JsonObject;
  /** Subschemas by the absolute URI that references use. */
  readonly lookup: ReturnType<typeof dereference>;
}

export interface Validation {
  /** The estimated maximum work, in microseconds. */
  readonly units: number;
  /**
   * With `isBrief`, stops at the first error in each object and array. Returns null if there are too many errors to
   * collect.
   */
  run(isBrief: boolean): ValidatorOutput | null;
}

/** Why a validation cannot run. */
export interface UnpreparedValidation {
  /** The work done before the failure was found, in microseconds; the limit if it was exceeded. */
  readonly units: number;
  readonly reason: Problem[] | "work_exceeded";
}

/**
 * Prepares a validation that takes at most `unitsMax`. With `allSchemas`, the limit also covers applying every
 * subschema to the document once, because a call can apply any of them.
 */
export function prepareValidation(
  { document, draft, ...input }: ValidatorInput,
  unitsMax: number,
  allSchemas = false,
): Result<Validation, UnpreparedValidation> {
  // The validator modifies the schema.
  const schema = structuredClone(input.schema);
  const inspection = inspectSchema(schema);
  if (inspection.problems.length > 0) {
    const units = inspection.subschemas.length * UNITS_PER_SUBSCHEMA;
    return fail({ units, reason: inspection.problems });
  }
  const compiled = compileSchema(schema, inspection, unitsMax);
  if (!compiled.ok) return compiled;
  const isRepeating = hasRepeatedItems(document);
  for (const { schema: subschema } of inspection.subschemas) {
    // The validator also supports the non-standard format "url", whose pattern backtracks exponentially.
    if (!isKnownFormat(String(subschema["format"]))) delete subschema["format"];
    if (!isRepeating) delete subschema["uniqueItems"];
  }
  const estimate = createWorkEstimate(compiled.value, unitsMax - compiled.value.compileUnits);
  const units = estimate(schema, document) + compiled.value.compileUnits;
  const applied = allSchemas ? inspection.subschemas : [];
  if (units > unitsMax || applied.some((one) => estimate(one.schema, document) === Infinity)) {
    return fail({ units: unitsMax, reason: "work_exceeded" });
  }
  const { lookup, patterns } = compiled.value;
  return ok({
    units,
    run(isBrief) {
      const errors = runWithPatterns(patterns, () =>
        catchOverflow(() => validate(document, schema, draft, lookup, isBrief).errors),
      );
      return errors === null ? null : { errors, schema, lookup };
    },
  });
}

function compileSchema(
  schema: JsonObject,
  { patterns: sources, subschemas }: SchemaInspection,
  unitsMax: number,
): Result<CompiledSchema & { readonly compileUnits: number }, UnpreparedValidation> {
  const patterns = new Map<string, RE2JS>();
  const problems: Problem[] = [];
  // Measured: the cost of copying, inspecting and indexing a subschema.
  let compileUnits = subschemas.length * UNITS_PER_SUBSCHEMA;
  for (const [source, path] of sources) {
    const pattern = compileLinearPattern(source);
    if (pattern.ok) patterns.set(source, pattern.value);
    else problems.push({ path, message: pattern.failure });
    compileUnits += pattern.ok
      ? computeCompileUnits(pattern.value)
      : Math.min(source.length, SOURCE_CHARACTERS_MAX) * UNITS_PER_BROKEN_CHARACTER;
    if (compileUnits > unitsMax) return fail({ units: unitsMax, reason: "work_exceeded" });
  }
  if (problems.length > 0) return fail({ units: compileUnits, reason: problems });
  try {
    const lookup = dereference(schema);
    const broken = findBrokenReferences(subschemas, lookup);
    if (broken.length > 0) return fail({ units: compileUnits, reason: broken });
    const recursiveAnchors = listRecursiveAnchors(subschemas, lookup);
    return ok({ lookup, patterns, recursiveAnchors, compileUnits });
  } catch (error) {
    const reason = error instanceof Error ? error.message : "it cannot be applied";
    const problem = { path: "schema", message: `must be a valid JSON Schema: ${reason}` };
    return fail({ units: compileUnits, reason: [problem] });
  }
}

const UNITS_PER_SUBSCHEMA = 8;
// Measured: the cost of parsing character classes in a pattern that turns out not to compile.
const UNITS_PER_BROKEN_CHARACTER = 20;

function findBrokenReferences(
  subschemas: SchemaInspection["subschemas"],
  lookup: Readonly<Record<string, unknown>>,
): Problem[] {
  return subschemas.flatMap(({ schema, path }) => {
    const target = schema["$ref"];
    if (target === undefined || lookup[String(schema["__absolute_ref__"])] !== undefined) return [];
    const message = `must refer to a location inside the schema, got ${preview(target)}`;
    return [{ path: `${path}.$ref`, message }];
  });
}

function listRecursiveAnchors(
  subschemas: SchemaInspection["subschemas"],
  lookup: CompiledSchema["lookup"],
): Set<JsonObject> {
  const anchors = subschemas.flatMap(({ schema }) => [
    schema["$recursiveAnchor"] === true ? schema : undefined,
    lookup[String(schema["__absolute_recursive_ref__"])],
  ]);
  return new Set(anchors.filter(isJsonObject));
}

/**
 * Runs synchronous `work` with `new RegExp` replaced by RE2, because the validator's regex engine is not configurable.
 */
function runWithPatterns<Value>(patterns: ReadonlyMap<string, RE2JS>, work: () => Value): Value {
  const native = globalThis.RegExp;
  function createPattern(source: string, flags?: string): RE2JS | RegExp {
    // The "regex" format also calls this to check whether a string is a valid pattern.
    return patterns.get(source) ?? new native(source, flags);
  }
  Reflect.set(globalThis, "RegExp", createPattern);
  try {
    return work();
  } finally {
    globalThis.RegExp = native;
  }
}

/**
 * Returns null if the stack overflows. The validator spreads arrays of errors, which fails for tens of thousands of
 * errors.
 */
function catchOverflow<Value>(work: () => Value): Value | null {
  try {
    return work();
  } catch (error) {
    if (error instanceof RangeError) return null;
    throw error;
  }
}
