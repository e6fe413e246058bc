import { isJsonObject, type Json, type JsonObject } from "../../../domain/json.ts";
import { shown } from "../../../domain/problem.ts";
import type { Findings } from "../validator.ts";
import { targetOf } from "./locations.ts";

const VALUES_TOLD_MAX = 20;
const NAME_CHARACTERS_MAX = 60;
const ALTERNATIVES_TOLD_MAX = 5;
const REFERENCES_FOLLOWED_MAX = 10;

/** What a schema asks for at first glance: types by their names, or certain values. */
export interface Wanted {
  readonly types: readonly string[];
  readonly values: readonly Json[];
}

const NOTHING: Wanted = { types: [], values: [] };

export function wantedOf(findings: Findings, schema: Json | undefined): Wanted {
  let at = isJsonObject(schema) ? schema : undefined;
  for (let hops = 0; hops < REFERENCES_FOLLOWED_MAX && at !== undefined; hops += 1) {
    const own = ownWanted(at);
    if (own !== NOTHING) return own;
    at = targetOf(findings, at, "$ref");
  }
  return NOTHING;
}

function ownWanted(schema: JsonObject): Wanted {
  if (Object.hasOwn(schema, "const")) return { types: [], values: [schema["const"] ?? null] };
  if (Array.isArray(schema["enum"])) return { types: [], values: schema["enum"] };
  const type = schema["type"];
  if (type === undefined) return NOTHING;
  return { types: (Array.isArray(type) ? type : [type]).map(String), values: [] };
}

/** What any of them asks for. */
export function anyOfWanted(all: readonly Wanted[]): Wanted {
  const types = new Set(all.flatMap((wanted) => wanted.types));
  if (types.has("number")) types.delete("integer");
  const values = new Map(
    all.flatMap((wanted) => wanted.values).map((value) => [JSON.stringify(value), value]),
  );
  return { types: [...types], values: [...values.values()] };
}

/** `a string, null or one of open, closed`; an empty text when nothing is known. */
export function wantedText({ types, values }: Wanted): string {
  return alternativesText([
    ...types.map(typeText),
    ...(values.length === 0 ? [] : [valuesText(values)]),
  ]);
}

/** `must be one of open, closed; got "shut"` */
export function mustBe(wanted: Wanted, got: Json | undefined): string {
  return `must be ${wantedText(wanted)}${separatorOf(wanted)} got ${shown(got)}`;
}

export function mustNotBe(excluded: Wanted, got: Json | undefined): string {
  return `must not be ${wantedText(excluded)}${separatorOf(excluded)} got ${shown(got)}`;
}

function separatorOf({ values }: Wanted): string {
  return values.length > 1 ? ";" : ",";
}

/** Why a value that fits several of the alternatives cannot be taken. */
export function oneOfText(
  findings: Findings,
  alternatives: readonly Json[],
  fitting: number,
): string {
  const count = alternatives.length;
  const texts = alternatives.map((schema) => wantedText(wantedOf(findings, schema)));
  const isTold = new Set(texts).size === count && !texts.includes("");
  const named =
    isTold && count <= ALTERNATIVES_TOLD_MAX ? texts.join(", ") : `${count} alternatives`;
  return `must fit exactly one of ${named}; it fits ${fitting}`;
}

/** `a, b or c` */
export function alternativesText(texts: readonly string[]): string {
  const last = texts.at(-1) ?? "";
  return texts.length < 2 ? last : `${texts.slice(0, -1).join(", ")} or ${last}`;
}

/** `a, b and 7 more` */
export function listed<Item>(items: readonly Item[], textOf: (item: Item) => string): string {
  const told = items.slice(0, VALUES_TOLD_MAX).map(textOf).join(", ");
  const more = items.length - VALUES_TOLD_MAX;
  return more > 0 ? `${told} and ${more} more` : told;
}

/** A name as it is told; a hostile one can be as long as a document. */
export function nameText(name: string): string {
  if (name.length <= NAME_CHARACTERS_MAX) return name;
  return `${Array.from(name.slice(0, NAME_CHARACTERS_MAX)).slice(0, -1).join("")}…`;
}

function valuesText(values: readonly Json[]): string {
  const told = listed(values, valueText);
  return values.length === 1 ? told : `one of ${told}`;
}

/** A word as it is; what could be mistaken for something else as JSON. */
function valueText(value: Json): string {
  return typeof value === "string" && isPlain(value) ? value : shown(value);
}

function isPlain(text: string): boolean {
  if (text.length > NAME_CHARACTERS_MAX || !/^[^\s",;](?:[^",;]*[^\s",;])?$/.test(text)) {
    return false;
  }
  return Number.isNaN(Number(text)) && !["true", "false", "null"].includes(text);
}

function typeText(type: string): string {
  if (type === "null") return type;
  return /^[aio]/.test(type) ? `an ${type}` : `a ${type}`;
}
