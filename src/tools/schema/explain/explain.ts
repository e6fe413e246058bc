import { isJsonObject, type Json, type JsonObject } from "../../../domain/json.ts";
import type { Problem } from "../../../domain/problem.ts";
import type { Findings } from "../validator.ts";
import type { Spend } from "../work.ts";
import { nearest } from "./alternatives.ts";
import { faultsOf, type Fault } from "./faults.ts";
import { byLocation, messageOf, type Finding } from "./finding.ts";
import { findingsOf, takesNothing } from "./keywords.ts";
import { lastPartOf, partsOf, pathOf, schemaOf, valueAt } from "./locations.ts";
import { listed, nameText, oneOfText } from "./wanted.ts";

// Nobody mends more in one go; what a request tells is cut further.
const PROBLEMS_MAX = 100;
const LOCATION_CHARACTERS_PER_UNIT = 100;

interface Context {
  readonly document: Json;
  readonly findings: Findings;
  readonly spend: Spend;
}

/** What is wrong with a document called `name`: each path once, and as deep as the fault goes. */
export function explain(name: string, { document, findings, spend }: Context): Problem[] {
  const found = collected({ document, findings, spend }, faultsOf(findings.errors), null);
  return [...byLocation(found).values()].slice(0, PROBLEMS_MAX).map((finding) => ({
    path: pathOf(name, document, finding.location),
    message: messageOf(finding),
  }));
}

/** The findings of all faults; those about the name of a property are told of the text `ofName`. */
function collected(
  context: Context,
  faults: readonly Fault[],
  ofName: string | null,
  into: Finding[] = [],
): Finding[] {
  for (const fault of sure(faults)) {
    const length = fault.keywordLocation.length + fault.location.length;
    context.spend(1 + length / LOCATION_CHARACTERS_PER_UNIT);
    const extra = ofName === null ? extraOf(context, fault) : null;
    if (extra !== null) into.push(extra);
    else if (fault.keyword === "anyOf" || fault.keyword === "oneOf") {
      add(into, ofAlternatives(context, fault, ofName));
    } else if (fault.keyword === "propertyNames") add(into, ofPropertyName(context, fault));
    else if (fault.below.length > 0) collected(context, fault.below, ofName, into);
    else {
      const { findings, document } = context;
      const schema = schemaOf(findings, fault.keywordLocation) ?? {};
      const value = ofName ?? valueAt(document, fault.location);
      add(into, findingsOf(fault.keyword, { findings, schema, value, location: fault.location }));
    }
  }
  return into;
}

/** What a fault elsewhere in the same schema has kept from being evaluated may be quite right. */
function sure(faults: readonly Fault[]): Fault[] {
  const firm = faults.filter(({ keyword }) => !keyword.startsWith("unevaluated"));
  const faulty = new Set(firm.map(schemaLocationOf));
  const others = faults.filter(({ keyword }) => keyword.startsWith("unevaluated"));
  return [...firm, ...others.filter((fault) => !faulty.has(schemaLocationOf(fault)))];
}

function schemaLocationOf({ keywordLocation }: Fault): string {
  return keywordLocation.slice(0, keywordLocation.lastIndexOf("/"));
}

/** A member or an item for which a schema has no place at all. */
function extraOf({ findings }: Context, fault: Fault): Finding | null {
  const [below] = fault.below;
  if (below === undefined || below.keyword !== "not") return null;
  if (!takesNothing(schemaOf(findings, below.keywordLocation))) return null;
  const schema = schemaOf(findings, fault.keywordLocation) ?? {};
  const { location } = below;
  switch (fault.keyword) {
    case "additionalProperties":
      return { kind: "extra", location, message: () => `is not a known field${fieldsOf(schema)}` };
    case "unevaluatedProperties":
      return { kind: "extra", location, message: () => "is not a known field" };
    case "items":
    case "additionalItems":
    case "unevaluatedItems":
      return { kind: "extra", location, message: () => "is one item too many" };
    default:
      return null;
  }
}

function fieldsOf(schema: JsonObject): string {
  const properties = schema["properties"];
  const names = isJsonObject(properties) ? Object.keys(properties) : [];
  const isOpen = schema["patternProperties"] !== undefined;
  return names.length === 0 || isOpen ? "" : `; it takes ${listed(names, nameText)}`;
}

function ofAlternatives(context: Context, fault: Fault, ofName: string | null): Finding[] {
  const { keyword, keywordLocation, location, below } = fault;
  const groups = new Map<string, Fault[]>();
  for (const lower of below) {
    const index = partsOf(lower.keywordLocation.slice(keywordLocation.length))[0] ?? "";
    groups.set(index, [...(groups.get(index) ?? []), lower]);
  }
  const schemas = schemaOf(context.findings, keywordLocation)?.[keyword];
  const alternatives = Array.isArray(schemas) ? schemas : [];
  if (keyword === "oneOf" && groups.size < alternatives.length) {
    const fitting = alternatives.length - groups.size;
    const message = () => oneOfText(context.findings, alternatives, fitting);
    return [{ kind: "other", location, message }];
  }
  const found = [...groups.values()].map((faults) => collected(context, faults, ofName));
  return nearest(location, found);
}

/** One finding for each name, about the property of that name. */
function ofPropertyName(context: Context, fault: Fault): Finding[] {
  const name = lastPartOf(fault.below[0]?.location ?? "");
  return [...byLocation(collected(context, fault.below, name)).values()].map((finding) => ({
    kind: "other",
    location: finding.location,
    message: () => `has a name that is not taken: it ${messageOf(finding)}`,
  }));
}

function add(into: Finding[], findings: readonly Finding[]): void {
  for (const finding of findings) into.push(finding);
}
