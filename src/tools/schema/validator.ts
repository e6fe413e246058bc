import { dereference, validate, type OutputUnit, type SchemaDraft } from "@cfworker/json-schema";
import type { Json, JsonObject } from "../../kernel/json.ts";
import { preview, type Problem, fail, ok, type Result } from "../../kernel/result.ts";
import {
  compileLinearPattern,
  type LinearPattern,
  runWithLinearPatterns,
} from "./linear-pattern.ts";
import { isWorkExceeded, type SpendUnits } from "./work-limit.ts";
import { chargeKeyListing, chargeSchemaUses } from "./prepare-schema.ts";
import type { DocumentFacts } from "./document-facts.ts";
import { inspectSchema, type SchemaInspection } from "./inspect-schema.ts";
import { isKnownFormat } from "./schema-keywords.ts";

// For unique items, the validator compares each item with every other.
const ITEM_PAIRS_MAX = 4_000_000;

export interface ValidatorInput {
  readonly document: Json;
  readonly facts: DocumentFacts;
  readonly schema: JsonObject;
  readonly draft: SchemaDraft;
}

/** The errors of the validator, and what resolves their locations. */
export interface ValidatorOutput {
  /** Each error is followed by those below it; empty if the document is valid. */
  readonly errors: OutputUnit[];
  /** The applied schema; reading the `$ref` of a subschema spends work. */
  readonly schema: JsonObject;
  /** The subschemas by absolute URI, as references name them. */
  readonly lookup: Readonly<Record<string, Json>>;
}

/** Runs the validator under `spend`. `isBrief`: stop at the first error of each object and array. */
export function runValidator(
  question: ValidatorInput,
  isBrief: boolean,
  spend: SpendUnits,
): Result<ValidatorOutput, Problem[]> {
  const { document, draft, facts } = question;
  // The validator modifies the schema.
  const schema = structuredClone(question.schema);
  const inspection = inspectSchema(schema);
  const patterns = compilePatterns(inspection, spend);
  const problems = [...inspection.problems, ...(patterns.ok ? [] : patterns.failure)];
  if (!patterns.ok || problems.length > 0) return fail(problems);
  try {
    const lookup = dereference(schema);
    problems.push(...checkReferences(inspection, lookup), ...checkUniqueness(inspection, facts));
    if (problems.length > 0) return fail(problems);
    for (const { schema: subschema } of inspection.subschemas) {
      // The validator's own format "url" is not one of JSON Schema, and its pattern backtracks without end.
      if (!isKnownFormat(String(subschema["format"]))) delete subschema["format"];
      if (!facts.hasRepeatedItems) delete subschema["uniqueItems"];
      chargeSchemaUses(subschema, facts.longestText, spend);
    }
    const copy = chargeKeyListing(document, spend);
    const { errors } = runWithLinearPatterns(patterns.value, spend, () =>
      validate(copy, schema, draft, lookup, isBrief),
    );
    return ok({ errors, schema, lookup });
  } catch (error) {
    if (isWorkExceeded(error)) throw error;
    const reason = error instanceof Error ? error.message : "it cannot be applied";
    return fail([{ path: "schema", message: `must be a JSON Schema: ${reason}` }]);
  }
}

function compilePatterns(
  { patterns }: SchemaInspection,
  spend: SpendUnits,
): Result<Map<string, LinearPattern>, Problem[]> {
  const compiled = new Map<string, LinearPattern>();
  const problems: Problem[] = [];
  for (const [source, path] of patterns) {
    const pattern = compileLinearPattern(source, spend);
    if (pattern.ok) compiled.set(source, pattern.value);
    else problems.push({ path, message: pattern.failure });
  }
  return problems.length === 0 ? ok(compiled) : fail(problems);
}

function checkReferences(
  { subschemas }: SchemaInspection,
  lookup: Readonly<Record<string, unknown>>,
): Problem[] {
  return subschemas.flatMap(({ schema, path }) => {
    const target = schema["$ref"];
    if (target === undefined || lookup[String(schema["__absolute_ref__"])] !== undefined) return [];
    const message = `must refer to a place inside the schema, got ${preview(target)}`;
    return [{ path: `${path}.$ref`, message }];
  });
}

function checkUniqueness({ subschemas }: SchemaInspection, facts: DocumentFacts): Problem[] {
  if (!facts.hasRepeatedItems || facts.itemPairs <= ITEM_PAIRS_MAX) return [];
  if (!subschemas.some(({ schema }) => schema["uniqueItems"] === true)) return [];
  return [{ path: "document", message: "must have shorter arrays to be checked for unique items" }];
}
