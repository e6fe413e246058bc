import { XMLParser, XMLValidator } from "fast-xml-parser";
import type { Json, JsonObject } from "../../../kernel/json.ts";
import type { Problem } from "../../../kernel/problem.ts";
import { fail, ok, type Result } from "../../../kernel/result.ts";
import { CONTENT_PARAMETER, type FormatReadResult } from "./formats.ts";
import { fromXmlName } from "./xml-names.ts";

// The parser refuses some names of JavaScript's own, so tags carry a mark past it (some of them twice)
// with which no XML name can start.
const TAG_MARK = ".";
const TAG_MARKS = /^\.+/;
const ENTITY_DECLARATION = "<!ENTITY";
const ATTRIBUTES = ":@";
const TEXT = "#text";
const ATTRIBUTE_MARK = "@";

const PARSER_OPTIONS = {
  preserveOrder: true,
  ignoreAttributes: false,
  attributeNamePrefix: ATTRIBUTE_MARK,
  textNodeName: TEXT,
  parseTagValue: false,
  parseAttributeValue: false,
  trimValues: false,
  ignoreDeclaration: true,
  ignorePiTags: true,
  // Numeric references are only read along with HTML's names.
  htmlEntities: true,
  transformTagName: (name: string) => TAG_MARK + name,
};

/**
 * The data of an XML text: `{root: …}`, an element being its text, or an object of `@attribute`s,
 * child elements (repeated ones as an array) and `#text`. White space between elements is dropped.
 */
export function readXml(content: string): Result<FormatReadResult, Problem> {
  const verdict = XMLValidator.validate(content);
  if (verdict !== true) {
    const { line, msg } = verdict.err;
    const message = `must be XML: ${msg.slice(0, 200)} (line ${line})`;
    return fail({ path: CONTENT_PARAMETER, message });
  }
  if (content.includes(ENTITY_DECLARATION)) {
    return fail({
      path: CONTENT_PARAMETER,
      message: "must not declare entities, which can multiply",
    });
  }
  let parsed: unknown;
  try {
    parsed = new XMLParser(PARSER_OPTIONS).parse(content);
  } catch (error) {
    const reason = error instanceof Error ? error.message.slice(0, 200) : "it cannot be read";
    return fail({
      path: CONTENT_PARAMETER,
      message: `must be XML that is safe to read: ${reason}`,
    });
  }
  const roots = toXmlNodes(parsed).filter((node) => node.tag !== TEXT);
  const [root] = roots;
  if (root === undefined || roots.length > 1) {
    return fail({
      path: CONTENT_PARAMETER,
      message: `must have one root element, got ${roots.length}`,
    });
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
    entries.set(ATTRIBUTE_MARK + fromXmlName(name.slice(ATTRIBUTE_MARK.length)), String(value));
  }
  let text = "";
  const elements = new Map<string, Json[]>();
  for (const child of toXmlNodes(node.children)) {
    if (child.tag === TEXT) {
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
  if (elements.size > 0 ? text.trim() !== "" : text !== "") entries.set(TEXT, text);
  if (elements.size > 0 && entries.has(TEXT)) onMixedText();
  const object: JsonObject = Object.fromEntries(entries);
  return object;
}

function toXmlNodes(list: unknown): XmlNode[] {
  if (!Array.isArray(list)) return [];
  return list.flatMap((item: unknown) => {
    if (!isRecord(item)) return [];
    const name = Object.keys(item).find((key) => key !== ATTRIBUTES);
    if (name === undefined) return [];
    const content = item[name];
    const attributes = item[ATTRIBUTES];
    return [
      {
        tag: name === TEXT ? TEXT : name.replace(TAG_MARKS, ""),
        text: name === TEXT ? String(content) : "",
        attributes: isRecord(attributes) ? attributes : {},
        children: content,
      },
    ];
  });
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
