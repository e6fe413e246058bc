import { XMLParser, XMLValidator } from "fast-xml-parser";
import type { Json, JsonObject } from "../../../../domain/json.ts";
import type { Problem } from "../../../../domain/problem.ts";
import { fail, ok, type Result } from "../../../../domain/result.ts";
import { CONTENT, type Reading } from "./formats.ts";
import { keyOfName } from "./xml-names.ts";

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
export function readXml(content: string): Result<Reading, Problem> {
  const verdict = XMLValidator.validate(content);
  if (verdict !== true) {
    const { line, msg } = verdict.err;
    const message = `must be XML: ${msg.slice(0, 200)} (line ${line})`;
    return fail({ path: CONTENT, message });
  }
  if (content.includes(ENTITY_DECLARATION)) {
    return fail({ path: CONTENT, message: "must not declare entities, which can multiply" });
  }
  let parsed: unknown;
  try {
    parsed = new XMLParser(PARSER_OPTIONS).parse(content);
  } catch (error) {
    const reason = error instanceof Error ? error.message.slice(0, 200) : "it cannot be read";
    return fail({ path: CONTENT, message: `must be XML that is safe to read: ${reason}` });
  }
  const roots = nodesOf(parsed).filter((node) => node.tag !== TEXT);
  const [root] = roots;
  if (root === undefined || roots.length > 1) {
    return fail({ path: CONTENT, message: `must have one root element, got ${roots.length}` });
  }
  let hasMixedText = false;
  const value = valueOf(root, () => {
    hasMixedText = true;
  });
  const notes = hasMixedText
    ? ["Text between elements was gathered in #text; its place among them is lost."]
    : [];
  return ok({ value: { [keyOfName(root.tag)]: value }, notes });
}

/** A node of the parser's ordered output. */
interface Node {
  readonly tag: string;
  readonly text: string;
  readonly attributes: Readonly<Record<string, unknown>>;
  readonly children: unknown;
}

function valueOf(node: Node, onMixedText: () => void): Json {
  const entries = new Map<string, Json>();
  for (const [name, value] of Object.entries(node.attributes)) {
    entries.set(ATTRIBUTE_MARK + keyOfName(name.slice(ATTRIBUTE_MARK.length)), String(value));
  }
  let text = "";
  const elements = new Map<string, Json[]>();
  for (const child of nodesOf(node.children)) {
    if (child.tag === TEXT) {
      text += child.text;
      continue;
    }
    const key = keyOfName(child.tag);
    const same = elements.get(key) ?? [];
    elements.set(key, same);
    same.push(valueOf(child, onMixedText));
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

function nodesOf(list: unknown): Node[] {
  if (!Array.isArray(list)) return [];
  return list.flatMap((item: unknown) => {
    if (!isRecord(item)) return [];
    const name = Object.keys(item).find((key) => key !== ATTRIBUTES);
    if (name === undefined) return [];
    const held = item[name];
    const attributes = item[ATTRIBUTES];
    return [
      {
        tag: name === TEXT ? TEXT : name.replace(TAG_MARKS, ""),
        text: name === TEXT ? String(held) : "",
        attributes: isRecord(attributes) ? attributes : {},
        children: held,
      },
    ];
  });
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
