import { XMLBuilder } from "fast-xml-parser";
import { isJsonObject, type Json } from "../../../../domain/json.ts";
import { shown, type Problem } from "../../../../domain/problem.ts";
import { fail, ok, type Result } from "../../../../domain/result.ts";
import { listed } from "../table/sheet.ts";
import { CONTENT, type Writing } from "./formats.ts";
import { xmlName } from "./xml-names.ts";

const TEXT = "#text";
const ATTRIBUTES = ":@";
const NAMESPACE = "@xmlns:";
const ROOT = "root";
const ITEM = "item";
const DECLARATION = '<?xml version="1.0" encoding="UTF-8"?>\n';

// What XML 1.0 cannot hold in any form.
const FORBIDDEN = /[^\t\n\r\u0020-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/u;
const IN_ATTRIBUTE = /[&<>"\t\n\r]/g;
const IN_TEXT = /[&<>\r]/g;

/** The builder's ordered form: `{name: children, ":@"?: attributes}`, or `{"#text": text}`. */
type Node = Readonly<Record<string, unknown>>;

/** What happened on the way, for the notes and the outcome. */
interface Findings {
  readonly problems: Problem[];
  readonly renamed: Set<string>;
  empties: number;
  hasMixedText: boolean;
}

/**
 * XML with one root element, by the conventions of readXml. A value that is no object with one key is
 * put into <root>, and array items without a name into <item>.
 */
export function writeXml(value: Json): Result<Writing, Problem> {
  const found: Findings = { problems: [], renamed: new Set(), empties: 0, hasMixedText: false };
  const root = soleElement(value);
  const prefixes = new Set(["xml"]);
  const nodes =
    root === null
      ? elementsOf(ROOT, Array.isArray(value) ? { [ITEM]: value } : value, prefixes, found)
      : elementsOf(root.key, root.value, prefixes, found);
  const [problem] = found.problems;
  if (problem !== undefined) return fail(problem);
  const builder = new XMLBuilder({
    preserveOrder: true,
    ignoreAttributes: false,
    attributeNamePrefix: "",
    textNodeName: TEXT,
    // Line breaks among text would become part of it.
    format: !found.hasMixedText,
    suppressEmptyNode: true,
    suppressBooleanAttributes: false,
    // The builder does not escape line breaks, which a reader would change.
    processEntities: false,
  });
  const notes: string[] = [];
  if (root === null) notes.push(`The data was put into a <${ROOT}> element.`);
  if (found.renamed.size > 0) {
    notes.push(`Keys that are no XML names were escaped: ${listed("key", [...found.renamed])}.`);
  }
  if (found.empties > 0) {
    notes.push(
      `Nulls, empty objects and empty arrays have no form of their own: ${found.empties}.`,
    );
  }
  return ok({ content: DECLARATION + builder.build(nodes).trim(), notes });
}

function soleElement(value: Json): { key: string; value: Json } | null {
  if (!isJsonObject(value)) return null;
  const [entry, ...others] = Object.entries(value);
  if (entry === undefined || others.length > 0 || Array.isArray(entry[1])) return null;
  const [key, held] = entry;
  return key === TEXT || isAttribute(key, held) ? null : { key, value: held };
}

/** One element for a value; for an array one for each item, none when it is empty. */
function elementsOf(
  key: string,
  value: Json,
  prefixes: ReadonlySet<string>,
  found: Findings,
): Node[] {
  if (Array.isArray(value)) {
    if (value.length === 0) found.empties += 1;
    return value.flatMap((item) =>
      elementsOf(key, Array.isArray(item) ? { [ITEM]: item } : item, prefixes, found),
    );
  }
  if (!isJsonObject(value)) {
    if (value === null) found.empties += 1;
    const name = nameOf(key, prefixes, found);
    return [{ [name]: value === null ? [] : [textNode(value, key, found)] }];
  }
  const entries = Object.entries(value);
  if (entries.length === 0) found.empties += 1;
  const declared = entries.filter(([name]) => name.startsWith(NAMESPACE));
  const scope = new Set([...prefixes, ...declared.map(([name]) => name.slice(NAMESPACE.length))]);
  const attributes: [string, string][] = [];
  const children: Node[] = [];
  for (const [name, held] of entries) {
    if (isAttribute(name, held)) {
      const attribute = nameOf(name.slice(1), new Set([...scope, "xmlns"]), found);
      attributes.push([attribute, escaped(held, name, IN_ATTRIBUTE, found)]);
    } else if (name === TEXT && isScalar(held)) children.push(textNode(held, key, found));
    else for (const child of elementsOf(name, held, scope, found)) children.push(child);
  }
  if (children.length > 1 && children.some((child) => TEXT in child)) found.hasMixedText = true;
  const name = nameOf(key, scope, found);
  if (attributes.length === 0) return [{ [name]: children }];
  return [{ [name]: children, [ATTRIBUTES]: Object.fromEntries(attributes) }];
}

function textNode(value: Json, key: string, found: Findings): Node {
  return { [TEXT]: escaped(value, key, IN_TEXT, found) };
}

function nameOf(key: string, prefixes: ReadonlySet<string>, found: Findings): string {
  if (key === "") found.problems.push({ path: CONTENT, message: "must not have an empty key" });
  const name = xmlName(key, prefixes);
  if (name !== key) found.renamed.add(shown(key));
  return name;
}

function escaped(value: Json, key: string, characters: RegExp, found: Findings): string {
  const text = value === null ? "" : String(value);
  const forbidden = FORBIDDEN.exec(text)?.[0];
  if (forbidden !== undefined) {
    const message = `must not hold ${shown(forbidden)}, which XML forbids, under ${shown(key)}`;
    found.problems.push({ path: CONTENT, message });
  }
  return text.replace(characters, (character) => `&#${character.codePointAt(0)};`);
}

function isAttribute(key: string, value: Json): boolean {
  return key.startsWith("@") && key.length > 1 && isScalar(value);
}

function isScalar(value: Json): boolean {
  return typeof value !== "object" || value === null;
}
