import { XMLParser, XMLValidator, XMLBuilder } from "fast-xml-parser";
import { type Json, isJsonObject } from "../../../kernel/json.ts";
import { type Problem, preview, fail, ok, type Result } from "../../../kernel/result.ts";
import {
  CONTENT_PARAMETER,
  failContent,
  type FormatReadResult,
  type FormatWriteResult,
} from "./formats.ts";
import { formatExamples } from "../table/raw-table.ts";

/** Keys used in the data and in the ordered form of the parser and builder. */
const TEXT_KEY = "#text";
const ATTRIBUTES_KEY = ":@";
const ATTRIBUTE_PREFIX = "@";

// The parser rejects some JavaScript property names, so tags are prefixed (some of them twice) with a character that
// cannot start an XML name.
const TAG_MARK = ".";
const TAG_MARKS = /^\.+/;
const ENTITY_DECLARATION = "<!ENTITY";

const PARSER_OPTIONS = {
  preserveOrder: true,
  ignoreAttributes: false,
  attributeNamePrefix: ATTRIBUTE_PREFIX,
  textNodeName: TEXT_KEY,
  parseTagValue: false,
  parseAttributeValue: false,
  trimValues: false,
  ignoreDeclaration: true,
  ignorePiTags: true,
  // Without this option, numeric character references are not decoded.
  htmlEntities: true,
  transformTagName: (name: string) => TAG_MARK + name,
};

/**
 * Reads XML as `{root: …}`. An element becomes its text, or an object with its attributes (`@name`), child elements
 * (repeated ones as an array) and `#text`. White space between elements is dropped.
 */
export function readXml(content: string): Result<FormatReadResult, Problem> {
  const validation = XMLValidator.validate(content);
  if (validation !== true) {
    const { line, msg } = validation.err;
    return failContent(`must be XML: ${msg.slice(0, 200)} (line ${line})`);
  }
  if (content.includes(ENTITY_DECLARATION)) {
    return failContent("must not declare entities, because they can expand without limit");
  }
  let parsed: unknown;
  try {
    parsed = new XMLParser(PARSER_OPTIONS).parse(content);
  } catch (error) {
    const reason = error instanceof Error ? error.message.slice(0, 200) : "it cannot be read";
    return failContent(`must be XML that is safe to read: ${reason}`);
  }
  const roots = toXmlNodes(parsed).filter((node) => node.tag !== TEXT_KEY);
  const [root] = roots;
  if (root === undefined || roots.length > 1) {
    return failContent(`must have one root element, got ${roots.length}`);
  }
  const notes = new Set<string>();
  const value = toElementValue(root, notes);
  return ok({ value: { [fromXmlName(root.tag)]: value }, notes: [...notes] });
}

const MIXED_TEXT_NOTE = "Text between elements was collected in #text; its position was lost.";

interface XmlNode {
  readonly tag: string;
  readonly text: string;
  readonly attributes: Readonly<Record<string, unknown>>;
  readonly children: unknown;
}

function toElementValue(node: XmlNode, notes: Set<string>): Json {
  const entries = new Map<string, Json>();
  for (const [name, value] of Object.entries(node.attributes)) {
    entries.set(ATTRIBUTE_PREFIX + fromXmlName(name.slice(ATTRIBUTE_PREFIX.length)), String(value));
  }
  let text = "";
  const elements = new Map<string, Json[]>();
  for (const child of toXmlNodes(node.children)) {
    if (child.tag === TEXT_KEY) {
      text += child.text;
      continue;
    }
    const key = fromXmlName(child.tag);
    const same = elements.get(key) ?? [];
    elements.set(key, same);
    same.push(toElementValue(child, notes));
  }
  if (entries.size === 0 && elements.size === 0) return text;
  for (const [key, values] of elements) {
    entries.set(key, values.length === 1 ? (values[0] ?? null) : values);
  }
  if (elements.size > 0 ? text.trim() !== "" : text !== "") entries.set(TEXT_KEY, text);
  if (elements.size > 0 && entries.has(TEXT_KEY)) notes.add(MIXED_TEXT_NOTE);
  return Object.fromEntries(entries);
}

function toXmlNodes(list: unknown): XmlNode[] {
  if (!Array.isArray(list)) return [];
  return list.flatMap((item: unknown) => {
    if (!isRecord(item)) return [];
    const name = Object.keys(item).find((key) => key !== ATTRIBUTES_KEY);
    if (name === undefined) return [];
    const content = item[name];
    const attributes = item[ATTRIBUTES_KEY];
    return [
      {
        tag: name === TEXT_KEY ? TEXT_KEY : name.replace(TAG_MARKS, ""),
        text: name === TEXT_KEY ? String(content) : "",
        attributes: isRecord(attributes) ? attributes : {},
        children: content,
      },
    ];
  });
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

// The characters of an XML 1.0 NCName up to U+FFFF. Many parsers, such as fast-xml-parser, reject characters beyond it.
const NAME_START_CHARACTERS =
  "A-Z_a-z\\u{C0}-\\u{D6}\\u{D8}-\\u{F6}\\u{F8}-\\u{2FF}\\u{370}-\\u{37D}\\u{37F}-\\u{1FFF}\\u{200C}\\u{200D}\\u{2070}-\\u{218F}\\u{2C00}-\\u{2FEF}\\u{3001}-\\u{D7FF}\\u{F900}-\\u{FDCF}\\u{FDF0}-\\u{FFFD}";
const NAME_CHARACTERS = `${NAME_START_CHARACTERS}\\-.0-9\\u{B7}\\u{300}-\\u{36F}\\u{203F}\\u{2040}`;

// Characters that a name cannot contain, underscores that look like the start of an escape, and white space that the
// standard allows in names (U+1680, U+FEFF) but parsers reject.
const INVALID_NAME_PART = new RegExp(
  `_(?=x[0-9A-Fa-f]{4,6}_)|^[^${NAME_START_CHARACTERS}]|[^${NAME_CHARACTERS}]|\\s`,
  "gu",
);
const ESCAPE = /_x([0-9A-Fa-f]{4,6})_/g;
const PREFIXED_NAME = /^([^:]+):([^:]+)$/;

/** The XML name for a key. Invalid characters become _xHHHH_ (ISO 9075-14); a declared namespace prefix is kept. */
function toXmlName(key: string, prefixes: ReadonlySet<string>): string {
  const [, prefix, local] = PREFIXED_NAME.exec(key) ?? [];
  if (prefix !== undefined && local !== undefined && prefixes.has(prefix)) {
    return `${escapeNamePart(prefix)}:${escapeNamePart(local)}`;
  }
  return escapeNamePart(key);
}

/** The key for an XML name. Escapes stay in names that would otherwise look like an attribute or a text key. */
function fromXmlName(name: string): string {
  const key = name.replace(ESCAPE, (escape, digits: string) => {
    const point = Number.parseInt(digits, 16);
    const isCharacter = point <= 0x10ffff && (point < 0xd800 || point > 0xdfff);
    return isCharacter ? String.fromCodePoint(point) : escape;
  });
  return key.startsWith(ATTRIBUTE_PREFIX) || key === TEXT_KEY ? name : key;
}

function escapeNamePart(part: string): string {
  return part.replace(INVALID_NAME_PART, (character) => {
    const point = character.codePointAt(0) ?? 0;
    return `_x${point.toString(16).toUpperCase().padStart(4, "0")}_`;
  });
}

const NAMESPACE = "@xmlns:";
const ROOT = "root";
const ITEM = "item";
const DECLARATION = '<?xml version="1.0" encoding="UTF-8"?>\n';

// Characters that XML 1.0 cannot contain, even escaped.
const FORBIDDEN_CHARACTERS = /[^\t\n\r\u0020-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/u;
const ESCAPED_IN_ATTRIBUTE = /[&<>"\t\n\r]/g;
const ESCAPED_IN_TEXT = /[&<>\r]/g;

/** The builder's ordered form: `{name: children, ":@"?: attributes}`, or `{"#text": text}`. */
type XmlBuilderNode = Readonly<Record<string, unknown>>;

/**
 * Writes XML with one root element. A value without a root element is put into <root>, and unnamed array items into
 * <item>.
 */
export function writeXml(value: Json): Result<FormatWriteResult, Problem> {
  const found = new ElementBuilder();
  const root = findRootElement(value);
  const prefixes = new Set(["xml"]);
  const nodes =
    root === null
      ? found.buildElements(ROOT, Array.isArray(value) ? { [ITEM]: value } : value, prefixes)
      : found.buildElements(root.key, root.value, prefixes);
  const [problem] = found.problems;
  if (problem !== undefined) return fail(problem);
  const builder = new XMLBuilder({
    preserveOrder: true,
    ignoreAttributes: false,
    attributeNamePrefix: "",
    textNodeName: TEXT_KEY,
    // Line breaks added next to text would become part of the text.
    format: !found.hasMixedText,
    suppressEmptyNode: true,
    suppressBooleanAttributes: false,
    // Escaping is done here instead, because the builder does not escape line breaks and a parser would change them.
    processEntities: false,
  });
  const notes: string[] = [];
  if (root === null) notes.push(`The data was put into a <${ROOT}> element.`);
  if (found.renamed.size > 0) {
    notes.push(
      `Keys that are not valid XML names were escaped: ${formatExamples("key", [...found.renamed])}.`,
    );
  }
  if (found.empties > 0) {
    notes.push(
      `XML cannot represent nulls, empty objects or empty arrays (${found.empties} found).`,
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

/** Builds elements and records problems and changes. */
class ElementBuilder {
  readonly problems: Problem[] = [];
  readonly renamed = new Set<string>();
  empties = 0;
  hasMixedText = false;

  /** One element for a value, or one for each item of an array. */
  buildElements(key: string, value: Json, prefixes: ReadonlySet<string>): XmlBuilderNode[] {
    if (Array.isArray(value)) {
      if (value.length === 0) this.empties += 1;
      return value.flatMap((item) =>
        this.buildElements(key, Array.isArray(item) ? { [ITEM]: item } : item, prefixes),
      );
    }
    if (!isJsonObject(value)) {
      if (value === null) this.empties += 1;
      const name = this.#toElementName(key, prefixes);
      return [{ [name]: value === null ? [] : [this.#createTextNode(value, key)] }];
    }
    const entries = Object.entries(value);
    if (entries.length === 0) this.empties += 1;
    const declared = entries.filter(([name]) => name.startsWith(NAMESPACE));
    const scope = new Set([...prefixes, ...declared.map(([name]) => name.slice(NAMESPACE.length))]);
    const attributes: [string, string][] = [];
    const children: XmlBuilderNode[] = [];
    for (const [name, child] of entries) {
      if (isAttribute(name, child)) {
        const attribute = this.#toElementName(name.slice(1), new Set([...scope, "xmlns"]));
        attributes.push([attribute, this.#escape(child, name, ESCAPED_IN_ATTRIBUTE)]);
      } else if (name === TEXT_KEY && isScalar(child))
        children.push(this.#createTextNode(child, key));
      else for (const node of this.buildElements(name, child, scope)) children.push(node);
    }
    this.hasMixedText ||= children.length > 1 && children.some((child) => TEXT_KEY in child);
    const name = this.#toElementName(key, scope);
    if (attributes.length === 0) return [{ [name]: children }];
    return [{ [name]: children, [ATTRIBUTES_KEY]: Object.fromEntries(attributes) }];
  }

  #createTextNode(value: Json, key: string): XmlBuilderNode {
    return { [TEXT_KEY]: this.#escape(value, key, ESCAPED_IN_TEXT) };
  }

  #toElementName(key: string, prefixes: ReadonlySet<string>): string {
    if (key === "")
      this.problems.push({ path: CONTENT_PARAMETER, message: "must not contain an empty key" });
    const name = toXmlName(key, prefixes);
    if (name !== key) this.renamed.add(preview(key));
    return name;
  }

  #escape(value: Json, key: string, characters: RegExp): string {
    const text = value === null ? "" : String(value);
    const forbidden = FORBIDDEN_CHARACTERS.exec(text)?.[0];
    if (forbidden !== undefined) {
      const message = `must not contain ${preview(forbidden)} under ${preview(key)}, because XML forbids it`;
      this.problems.push({ path: CONTENT_PARAMETER, message });
    }
    return text.replace(characters, (character) => `&#${character.codePointAt(0)};`);
  }
}

function isAttribute(key: string, value: Json): boolean {
  return key.startsWith(ATTRIBUTE_PREFIX) && key.length > 1 && isScalar(value);
}

function isScalar(value: Json): boolean {
  return typeof value !== "object" || value === null;
}
