import { XMLBuilder } from "fast-xml-parser";
import { isJsonObject, type Json } from "../../../kernel/json.ts";
import { preview, type Problem } from "../../../kernel/problem.ts";
import { fail, ok, type Result } from "../../../kernel/result.ts";
import { formatExamples } from "../table/raw-table.ts";
import { CONTENT_PARAMETER, type FormatWriteResult } from "./formats.ts";
import { ATTRIBUTE_PREFIX, ATTRIBUTES_KEY, TEXT_KEY, toXmlName } from "./xml-names.ts";

const NAMESPACE = "@xmlns:";
const ROOT = "root";
const ITEM = "item";
const DECLARATION = '<?xml version="1.0" encoding="UTF-8"?>\n';

// Characters that XML 1.0 cannot contain in any form.
const FORBIDDEN_CHARACTERS = /[^\t\n\r\u0020-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/u;
const ESCAPED_IN_ATTRIBUTE = /[&<>"\t\n\r]/g;
const ESCAPED_IN_TEXT = /[&<>\r]/g;

/** The builder's ordered form: `{name: children, ":@"?: attributes}`, or `{"#text": text}`. */
type XmlBuilderNode = Readonly<Record<string, unknown>>;

/** What the conversion has changed. */
interface XmlConversionNotes {
  readonly problems: Problem[];
  readonly renamed: Set<string>;
  empties: number;
  hasMixedText: boolean;
}

/**
 * XML with one root element and the conventions of readXml. A value that is not an object with one key is put
 * into <root>, and unnamed array items into <item>.
 */
export function writeXml(value: Json): Result<FormatWriteResult, Problem> {
  const found: XmlConversionNotes = {
    problems: [],
    renamed: new Set(),
    empties: 0,
    hasMixedText: false,
  };
  const root = findRootElement(value);
  const prefixes = new Set(["xml"]);
  const nodes =
    root === null
      ? buildElements(ROOT, Array.isArray(value) ? { [ITEM]: value } : value, prefixes, found)
      : buildElements(root.key, root.value, prefixes, found);
  const [problem] = found.problems;
  if (problem !== undefined) return fail(problem);
  const builder = new XMLBuilder({
    preserveOrder: true,
    ignoreAttributes: false,
    attributeNamePrefix: "",
    textNodeName: TEXT_KEY,
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
    notes.push(
      `Keys that are no XML names were escaped: ${formatExamples("key", [...found.renamed])}.`,
    );
  }
  if (found.empties > 0) {
    notes.push(
      `Nulls, empty objects and empty arrays have no form of their own: ${found.empties}.`,
    );
  }
  return ok({ content: DECLARATION + builder.build(nodes).trim(), notes });
}

function findRootElement(value: Json): { key: string; value: Json } | null {
  if (!isJsonObject(value)) return null;
  const [entry, ...others] = Object.entries(value);
  if (entry === undefined || others.length > 0 || Array.isArray(entry[1])) return null;
  const [key, child] = entry;
  return key === TEXT_KEY || isAttribute(key, child) ? null : { key, value: child };
}

/** One element for a value, or one for each item of an array. */
function buildElements(
  key: string,
  value: Json,
  prefixes: ReadonlySet<string>,
  found: XmlConversionNotes,
): XmlBuilderNode[] {
  if (Array.isArray(value)) {
    if (value.length === 0) found.empties += 1;
    return value.flatMap((item) =>
      buildElements(key, Array.isArray(item) ? { [ITEM]: item } : item, prefixes, found),
    );
  }
  if (!isJsonObject(value)) {
    if (value === null) found.empties += 1;
    const name = toElementName(key, prefixes, found);
    return [{ [name]: value === null ? [] : [createTextNode(value, key, found)] }];
  }
  const entries = Object.entries(value);
  if (entries.length === 0) found.empties += 1;
  const declared = entries.filter(([name]) => name.startsWith(NAMESPACE));
  const scope = new Set([...prefixes, ...declared.map(([name]) => name.slice(NAMESPACE.length))]);
  const attributes: [string, string][] = [];
  const children: XmlBuilderNode[] = [];
  for (const [name, child] of entries) {
    if (isAttribute(name, child)) {
      const attribute = toElementName(name.slice(1), new Set([...scope, "xmlns"]), found);
      attributes.push([attribute, escapeXml(child, name, ESCAPED_IN_ATTRIBUTE, found)]);
    } else if (name === TEXT_KEY && isScalar(child))
      children.push(createTextNode(child, key, found));
    else for (const node of buildElements(name, child, scope, found)) children.push(node);
  }
  if (children.length > 1 && children.some((child) => TEXT_KEY in child)) found.hasMixedText = true;
  const name = toElementName(key, scope, found);
  if (attributes.length === 0) return [{ [name]: children }];
  return [{ [name]: children, [ATTRIBUTES_KEY]: Object.fromEntries(attributes) }];
}

function createTextNode(value: Json, key: string, found: XmlConversionNotes): XmlBuilderNode {
  return { [TEXT_KEY]: escapeXml(value, key, ESCAPED_IN_TEXT, found) };
}

function toElementName(
  key: string,
  prefixes: ReadonlySet<string>,
  found: XmlConversionNotes,
): string {
  if (key === "")
    found.problems.push({ path: CONTENT_PARAMETER, message: "must not have an empty key" });
  const name = toXmlName(key, prefixes);
  if (name !== key) found.renamed.add(preview(key));
  return name;
}

function escapeXml(
  value: Json,
  key: string,
  characters: RegExp,
  found: XmlConversionNotes,
): string {
  const text = value === null ? "" : String(value);
  const forbidden = FORBIDDEN_CHARACTERS.exec(text)?.[0];
  if (forbidden !== undefined) {
    const message = `must not hold ${preview(forbidden)}, which XML forbids, under ${preview(key)}`;
    found.problems.push({ path: CONTENT_PARAMETER, message });
  }
  return text.replace(characters, (character) => `&#${character.codePointAt(0)};`);
}

function isAttribute(key: string, value: Json): boolean {
  return key.startsWith(ATTRIBUTE_PREFIX) && key.length > 1 && isScalar(value);
}

function isScalar(value: Json): boolean {
  return typeof value !== "object" || value === null;
}
