import { XMLParser, XMLValidator } from "fast-xml-parser";
import type { Json } from "../../../kernel/json.ts";
import type { Problem } from "../../../kernel/problem.ts";
import { fail, ok, type Result } from "../../../kernel/result.ts";
import { CONTENT_PARAMETER, type FormatReadResult } from "./formats.ts";
import { ATTRIBUTE_PREFIX, ATTRIBUTES_KEY, fromXmlName, TEXT_KEY } from "./xml-names.ts";

// The parser rejects some names of JavaScript, so tags get a prefix (some of them twice) with which no XML name
// can start.
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
  // Without this option numeric references are not decoded.
  htmlEntities: true,
  transformTagName: (name: string) => TAG_MARK + name,
};

/**
 * The data of an XML text: `{root: …}`, an element being its text, or an object of `@attribute`s,
 * child elements (repeated ones as an array) and `#text`. White space between elements is dropped.
 */
export function readXml(content: string): Result<FormatReadResult, Problem> {
  const validation = XMLValidator.validate(content);
  if (validation !== true) {
    const { line, msg } = validation.err;
    return failWith(`must be XML: ${msg.slice(0, 200)} (line ${line})`);
  }
  if (content.includes(ENTITY_DECLARATION)) {
    return failWith("must not declare entities, which can multiply");
  }
  let parsed: unknown;
  try {
    parsed = new XMLParser(PARSER_OPTIONS).parse(content);
  } catch (error) {
    const reason = error instanceof Error ? error.message.slice(0, 200) : "it cannot be read";
    return failWith(`must be XML that is safe to read: ${reason}`);
  }
  const roots = toXmlNodes(parsed).filter((node) => node.tag !== TEXT_KEY);
  const [root] = roots;
  if (root === undefined || roots.length > 1) {
    return failWith(`must have one root element, got ${roots.length}`);
  }
  let hasMixedText = false;
  const value = toElementValue(root, () => {
    hasMixedText = true;
  });
  const notes = hasMixedText
    ? ["Text between elements was gathered in #text; its place among them is lost."]
    : [];
  return ok({ value: { [fromXmlName(root.tag)]: value }, notes });
}

function failWith(message: string): Result<never, Problem> {
  return fail({ path: CONTENT_PARAMETER, message });
}

/** A node of the parser's ordered output. */
interface XmlNode {
  readonly tag: string;
  readonly text: string;
  readonly attributes: Readonly<Record<string, unknown>>;
  readonly children: unknown;
}

function toElementValue(node: XmlNode, onMixedText: () => void): Json {
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
    same.push(toElementValue(child, onMixedText));
  }
  if (entries.size === 0 && elements.size === 0) return text;
  for (const [key, values] of elements) {
    entries.set(key, values.length === 1 ? (values[0] ?? null) : values);
  }
  if (elements.size > 0 ? text.trim() !== "" : text !== "") entries.set(TEXT_KEY, text);
  if (elements.size > 0 && entries.has(TEXT_KEY)) onMixedText();
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
