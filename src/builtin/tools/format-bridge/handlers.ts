import type { CapabilityHandler, CapabilityHandlers } from "../../../tools/connectors/contract.ts";
import { type Json, type JsonObject, isJsonObject, tryParseJson } from "../../../kernel/json.ts";
import { preview, type Problem, fail, ok, type Result } from "../../../kernel/result.ts";
import {
  CONTENT_PARAMETER,
  DATA_FORMATS,
  type DataFormat,
  failContent,
  type FormatConverter,
} from "./formats.ts";
import { parseJsonDocument, walkJson } from "../json-document.ts";
import { readCsv, writeCsv } from "./csv.ts";
import { readXml, writeXml } from "./xml.ts";
import { readYaml, writeYaml } from "./yaml.ts";
import { collectProblems } from "../parameters.ts";
import { parseCsv } from "../table/csv.ts";

const CONVERTERS: Readonly<Record<DataFormat, FormatConverter>> = {
  csv: { read: readCsv, write: writeCsv },
  json: {
    read: (content) => {
      const document = parseJsonDocument(content, CONTENT_PARAMETER);
      return document.ok ? ok({ value: document.value, notes: [] }) : document;
    },
    write: (value) => ok({ content: JSON.stringify(value, null, 2), notes: [] }),
  },
  yaml: { read: readYaml, write: writeYaml },
  xml: { read: readXml, write: writeXml },
};

/** Returns `{content, from, to, rows?, notes}`. `rows` is present if the output is CSV or the data is an array. */
const convertFormat: CapabilityHandler = async (parameters) => {
  const from = parseFormat(parameters["from"], "from");
  const to = parseFormat(parameters["to"], "to");
  if (!from.ok || !to.ok) return fail(collectProblems([from, to]));
  const reading = CONVERTERS[from.value].read(String(parameters[CONTENT_PARAMETER]));
  if (!reading.ok) return fail([reading.failure]);
  const { value } = reading.value;
  const writing = isTooLarge(value) ? failContent(TOO_LARGE) : CONVERTERS[to.value].write(value);
  if (!writing.ok) return fail([writing.failure]);
  const rows = writing.value.rows ?? (Array.isArray(value) ? value.length : null);
  return ok({
    content: writing.value.content,
    from: from.value,
    to: to.value,
    ...(rows === null ? {} : { rows }),
    notes: [...reading.value.notes, ...writing.value.notes],
  });
};

function parseFormat(value: Json | undefined, path: string): Result<DataFormat, Problem> {
  const format = DATA_FORMATS.find((known) => known === value);
  if (format !== undefined) return ok(format);
  const message = `must be one of ${DATA_FORMATS.join(", ")}, got ${preview(value)}`;
  return fail({ path, message });
}

// The maximum size of the result, which indentation, repeated keys and aliases can make much larger than the input.
const CHARACTERS_MAX = 8_000_000;
const INDENT_CHARACTERS = 2;
const TOO_LARGE = `must not exceed ${CHARACTERS_MAX} characters in the target format`;

/** Whether the data would be too large as text. Stops counting at the limit. */
function isTooLarge(data: Json): boolean {
  let characters = 0;
  for (const { value, depth } of walkJson(data)) {
    characters += INDENT_CHARACTERS * (depth + 1);
    if (typeof value === "string") characters += value.length;
    if (isJsonObject(value)) {
      for (const key of Object.keys(value)) characters += key.length;
    }
    if (characters > CHARACTERS_MAX) return true;
  }
  return false;
}

/**
 * Returns `{format, confidence, reason}`, and for CSV also `columns`, `rows` and `delimiter`. `format` is csv, json,
 * yaml, xml or unknown; `confidence` is high or low.
 */
const detectFormat: CapabilityHandler = async (parameters) => {
  const content = String(parameters[CONTENT_PARAMETER]);
  if (content.trim() === "")
    return fail([{ path: CONTENT_PARAMETER, message: "must not be blank" }]);
  return ok(
    detectJson(content) ??
      detectXml(content) ??
      detectYaml(content) ??
      detectBrokenJson(content) ??
      detectCsv(content) ??
      UNKNOWN_RESULT,
  );
};

function detectJson(content: string): JsonObject | null {
  const value = tryParseJson(content.replace(/^\uFEFF/, ""));
  if (value === undefined) return null;
  return typeof value === "object" && value !== null
    ? { format: "json", confidence: "high", reason: "It parses as a JSON object or array." }
    : { format: "json", confidence: "low", reason: "It parses as a single JSON value." };
}

function detectBrokenJson(content: string): JsonObject | null {
  const start = /^\s*([[{])/.exec(content)?.[1];
  if (start === undefined) return null;
  const reason = `It starts with ${start}, but is not valid JSON.`;
  return { format: "json", confidence: "low", reason };
}

function detectXml(content: string): JsonObject | null {
  if (!/^\s*\uFEFF?</.test(content)) return null;
  return readXml(content).ok
    ? { format: "xml", confidence: "high", reason: "It is well-formed XML with one root element." }
    : { format: "xml", confidence: "low", reason: "It starts with <, but is not valid XML." };
}

function detectYaml(content: string): JsonObject | null {
  const read = readYaml(content);
  if (!read.ok || typeof read.value.value !== "object" || read.value.value === null) return null;
  const kind = isJsonObject(read.value.value) ? "mapping" : "sequence";
  return { format: "yaml", confidence: "high", reason: `It parses as a YAML ${kind}.` };
}

function detectCsv(content: string): JsonObject | null {
  const parsed = parseCsv(content, CONTENT_PARAMETER);
  if (!parsed.ok) return null;
  const { delimiter, records } = parsed.value;
  const [header, ...body] = records;
  const columns = header?.cells.length ?? 0;
  if (columns < 2) return null;
  const isEven = body.length > 0 && body.every(({ cells }) => cells.length === columns);
  return {
    format: "csv",
    confidence: isEven ? "high" : "low",
    reason: isEven
      ? `Every line has ${columns} cells.`
      : `The first line has ${columns} cells, but the rest of the text does not confirm that it is CSV.`,
    columns,
    rows: body.length,
    delimiter,
  };
}

const UNKNOWN_RESULT = {
  format: "unknown",
  confidence: "low",
  reason: "It is not CSV, JSON, YAML or XML.",
};

export const formatBridgeHandlers: CapabilityHandlers = {
  convert: convertFormat,
  detect: detectFormat,
};
