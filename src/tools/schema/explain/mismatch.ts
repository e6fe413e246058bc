import { isJsonObject, type Json, type JsonObject, toJsonObject } from "../../../kernel/json.ts";
import { preview } from "../../../kernel/result.ts";
import type { ValidatorOutput } from "../validator.ts";
import { findReferenceTarget, isLocationBelow, lastPartOf } from "./locations.ts";

/** A way in which a value does not match its schema. Messages are formatted only for reported mismatches. */
export type Mismatch =
  /** The value has the wrong type, or is not one of the allowed values. */
  | ChoiceMismatch
  | MissingMismatch
  /** A member or item that is not allowed. */
  | { readonly kind: "extra"; readonly location: string; readonly message: () => string }
  | { readonly kind: "other"; readonly location: string; readonly message: () => string };

interface ChoiceMismatch {
  readonly kind: "choice";
  readonly location: string;
  readonly wanted: ExpectedValue;
  readonly got: Json | undefined;
}

interface MissingMismatch {
  readonly kind: "missing";
  readonly location: string;
  readonly wanted: ExpectedValue;
  /** The member whose presence requires this one; null if this one is always required. */
  readonly requiredBy: string | null;
}

export function formatMismatch(finding: Mismatch): string {
  switch (finding.kind) {
    case "choice":
      return formatMustBe(finding.wanted, finding.got);
    case "missing": {
      const place =
        finding.requiredBy === null ? "" : ` with ${formatShownName(finding.requiredBy)}`;
      const wanted = formatExpectedValue(finding.wanted);
      return `is required${place}${wanted === "" ? "" : `: ${wanted}`}`;
    }
    case "extra":
    case "other":
      return finding.message();
  }
}

/** Keeps one mismatch per location: the first that lists allowed values or, if none does, the first. */
export function indexByLocation(findings: readonly Mismatch[]): Map<string, Mismatch> {
  const found = new Map<string, Mismatch>();
  for (const finding of findings) {
    const before = found.get(finding.location);
    if (before === undefined || (listsValues(finding) && !listsValues(before))) {
      found.set(finding.location, finding);
    }
  }
  return found;
}

function listsValues(finding: Mismatch): boolean {
  return finding.kind === "choice" && finding.wanted.values.length > 0;
}

const NAMES_SHOWN_MAX = 10;

/**
 * The mismatches of the alternative that the value comes closest to. If several are equally close, returns the
 * mismatches that they share or a single message about them, if possible.
 */
export function selectNearestAlternative(
  location: string,
  alternatives: readonly Mismatch[][],
  discriminators: ReadonlySet<string>,
): Mismatch[] {
  const groups = alternatives.map((findings) => [...indexByLocation(findings).values()]);
  const distances = groups.map((group) => computeDistance(location, group, discriminators));
  const shortest = Math.min(...distances);
  const near = groups.filter((_, index) => distances[index] === shortest);
  const [first = []] = near;
  if (near.length < 2) return first;
  const shared = mergeShared(near);
  if (shared.length > 0) return shared;
  const all = near.flat();
  if (all.length <= NAMES_SHOWN_MAX && all.every((finding) => isMissingFrom(location, finding))) {
    const names = near.map((group) =>
      group.map((one) => formatShownName(lastPartOf(one.location))).join(" and "),
    );
    const message = () => `must have ${formatAlternatives([...new Set(names)])}`;
    return [{ kind: "other", location, message }];
  }
  return near.reduce(
    (best, group) => (computeWeight(group) < computeWeight(best) ? group : best),
    first,
  );
}

/**
 * 2 if the value itself has the wrong type or is not an allowed value, 1 if a discriminating member has the wrong
 * value, otherwise 0.
 */
function computeDistance(
  location: string,
  group: readonly Mismatch[],
  discriminators: ReadonlySet<string>,
): number {
  const choices = group.filter((finding) => finding.kind === "choice");
  if (choices.some((choice) => choice.location === location)) return 2;
  return choices.some((choice) => isDiscriminator(location, choice, discriminators)) ? 1 : 0;
}

function isDiscriminator(
  location: string,
  choice: ChoiceMismatch,
  discriminators: ReadonlySet<string>,
): boolean {
  if (choice.wanted.values.length !== 1 || !isMember(location, choice.location)) return false;
  // Without a known discriminator, any member with a single allowed value might be the discriminator.
  return discriminators.size === 0 || discriminators.has(lastPartOf(choice.location));
}

/** The members that allow exactly one value in each alternative, and a different one in each. */
export function listDiscriminators(
  findings: ValidatorOutput,
  alternatives: readonly Json[],
): Set<string> {
  let constantsByName: Map<string, Set<string>> | null = null;
  for (const alternative of alternatives) {
    const own = toJsonObject(alternative);
    const target = findReferenceTarget(findings, own, "$ref") ?? own;
    const properties = toJsonObject(target["properties"]);
    constantsByName ??= new Map(Object.keys(properties).map((name) => [name, new Set()]));
    for (const [name, constants] of constantsByName) {
      const member = Object.hasOwn(properties, name) ? properties[name] : undefined;
      const { values } = expectedValueOf(findings, member);
      const text = JSON.stringify(values);
      // Drop the member immediately, so the work stays linear in the size of the alternatives.
      if (values.length !== 1 || constants.has(text)) constantsByName.delete(name);
      else constants.add(text);
    }
  }
  return new Set(constantsByName?.keys());
}

function isMember(location: string, member: string): boolean {
  return isLocationBelow(member, location) && member.lastIndexOf("/") === location.length;
}

/**
 * If every alternative has a mismatch of the same kind at a location, merges these into one that lists all expected
 * values.
 */
function mergeShared(groups: readonly Mismatch[][]): Mismatch[] {
  const [first = [], ...others] = groups.map(indexByLocation);
  return [...first.values()].flatMap((finding): Mismatch[] => {
    const same = others.map((group) => group.get(finding.location));
    if (finding.kind !== "choice" && finding.kind !== "missing") return [];
    const wanted = [finding, ...same].flatMap((one) =>
      one?.kind === finding.kind && "wanted" in one ? [one.wanted] : [],
    );
    if (wanted.length < groups.length) return [];
    return [{ ...finding, wanted: mergeExpectedValues(wanted) }];
  });
}

function isMissingFrom(location: string, finding: Mismatch): boolean {
  return finding.kind === "missing" && isMember(location, finding.location);
}

/** An extra member or item counts twice as much against an alternative as any other mismatch. */
function computeWeight(group: readonly Mismatch[]): number {
  return group.reduce((sum, finding) => sum + (finding.kind === "extra" ? 2 : 1), 0);
}

const VALUES_SHOWN_MAX = 20;
const NAME_SHOWN_CHARACTERS_MAX = 60;
const ALTERNATIVES_SHOWN_MAX = 5;
const REFERENCES_FOLLOWED_MAX = 10;

/** The types or values that a schema allows, ignoring its subschemas. */
export interface ExpectedValue {
  readonly types: readonly string[];
  readonly values: readonly Json[];
}

const UNKNOWN_EXPECTED: ExpectedValue = { types: [], values: [] };

export function expectedValueOf(
  findings: ValidatorOutput,
  schema: Json | undefined,
): ExpectedValue {
  let at = isJsonObject(schema) ? schema : undefined;
  for (let hops = 0; hops < REFERENCES_FOLLOWED_MAX && at !== undefined; hops += 1) {
    const own = ownExpected(at);
    if (own !== UNKNOWN_EXPECTED) return own;
    at = findReferenceTarget(findings, at, "$ref");
  }
  return UNKNOWN_EXPECTED;
}

function ownExpected(schema: JsonObject): ExpectedValue {
  if (Object.hasOwn(schema, "const")) return { types: [], values: [schema["const"] ?? null] };
  if (Array.isArray(schema["enum"])) return { types: [], values: schema["enum"] };
  const type = schema["type"];
  if (type === undefined) return UNKNOWN_EXPECTED;
  return { types: (Array.isArray(type) ? type : [type]).map(String), values: [] };
}

function mergeExpectedValues(all: readonly ExpectedValue[]): ExpectedValue {
  const types = new Set(all.flatMap((wanted) => wanted.types));
  if (types.has("number")) types.delete("integer");
  const values = new Map(
    all.flatMap((wanted) => wanted.values).map((value) => [JSON.stringify(value), value]),
  );
  return { types: [...types], values: [...values.values()] };
}

/** Formats as `a string, null or one of open, closed`; empty if nothing is known. */
export function formatExpectedValue({ types, values }: ExpectedValue): string {
  return formatAlternatives([
    ...types.map(formatType),
    ...(values.length === 0 ? [] : [formatValues(values)]),
  ]);
}

/** Formats as `must be one of open, closed; got "shut"`. */
function formatMustBe(wanted: ExpectedValue, got: Json | undefined): string {
  return `must be ${formatExpectedValue(wanted)}${selectSeparator(wanted)} got ${preview(got)}`;
}

export function formatMustNotBe(excluded: ExpectedValue, got: Json | undefined): string {
  return `must not be ${formatExpectedValue(excluded)}${selectSeparator(excluded)} got ${preview(got)}`;
}

function selectSeparator({ values }: ExpectedValue): string {
  return values.length > 1 ? ";" : ",";
}

/** The message for a value that matches several alternatives of `oneOf`. */
export function formatOneOf(
  findings: ValidatorOutput,
  alternatives: readonly Json[],
  fitting: number,
): string {
  const count = alternatives.length;
  const texts = alternatives.map((schema) =>
    formatExpectedValue(expectedValueOf(findings, schema)),
  );
  const hasDistinctTexts = new Set(texts).size === count && !texts.includes("");
  const named =
    hasDistinctTexts && count <= ALTERNATIVES_SHOWN_MAX
      ? texts.join(", ")
      : `${count} alternatives`;
  return `must match exactly one of ${named}, but matches ${fitting}`;
}

/** Formats as `a, b or c`. */
function formatAlternatives(texts: readonly string[]): string {
  const last = texts.at(-1) ?? "";
  return texts.length < 2 ? last : `${texts.slice(0, -1).join(", ")} or ${last}`;
}

/** Formats as `a, b and 7 more`. */
export function formatListWithRest<Item>(
  items: readonly Item[],
  textOf: (item: Item) => string,
): string {
  const shown = items.slice(0, VALUES_SHOWN_MAX).map(textOf).join(", ");
  const more = items.length - VALUES_SHOWN_MAX;
  return more > 0 ? `${shown} and ${more} more` : shown;
}

/** Shortens a name for a message, because a hostile name can be as long as a document. */
export function formatShownName(name: string): string {
  if (name.length <= NAME_SHOWN_CHARACTERS_MAX) return name;
  return `${Array.from(name.slice(0, NAME_SHOWN_CHARACTERS_MAX)).slice(0, -1).join("")}…`;
}

function formatValues(values: readonly Json[]): string {
  const shown = formatListWithRest(values, formatPlainValue);
  return values.length === 1 ? shown : `one of ${shown}`;
}

/** A string without quotes, unless it could be mistaken for another value; anything else as JSON. */
function formatPlainValue(value: Json): string {
  return typeof value === "string" && isPlainWord(value) ? value : preview(value);
}

function isPlainWord(text: string): boolean {
  if (text.length > NAME_SHOWN_CHARACTERS_MAX || !/^[^\s",;](?:[^",;]*[^\s",;])?$/.test(text)) {
    return false;
  }
  return Number.isNaN(Number(text)) && !["true", "false", "null"].includes(text);
}

function formatType(type: string): string {
  if (type === "null") return type;
  return /^[aio]/.test(type) ? `an ${type}` : `a ${type}`;
}
