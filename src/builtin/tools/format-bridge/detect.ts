import { isJsonObject, tryParseJson, type JsonObject } from "../../../kernel/json.ts";
import type { Problem } from "../../../kernel/problem.ts";
import { fail, ok, type Result } from "../../../kernel/result.ts";
import { parseCsv } from "../table/csv.ts";
import { CONTENT_PARAMETER, type DataFormat } from "./formats.ts";
import { readXml } from "./read-xml.ts";
import { readYaml } from "./yaml.ts";

interface DetectionResult {
  readonly format: DataFormat | "unknown";
  readonly confidence: "high" | "low";
  readonly reason: string;
  readonly columns?: number;
  readonly rows?: number;
  readonly delimiter?: string;
}

/**
 * `{format, confidence, reason, …}`: format is csv, json, yaml, xml or unknown, confidence high or low.
 * CSV adds its columns, rows and delimiter.
 */
export async function detectFormat(parameters: JsonObject): Promise<Result<JsonObject, Problem[]>> {
  const content = String(parameters[CONTENT_PARAMETER]);
  if (content.trim() === "")
    return fail([{ path: CONTENT_PARAMETER, message: "must not be blank" }]);
  const found =
    detectJson(content) ??
    detectXml(content) ??
    detectYaml(content) ??
    detectBrokenJson(content) ??
    detectCsv(content) ??
    UNKNOWN_RESULT;
  return ok({ ...found });
}

function detectJson(content: string): DetectionResult | null {
  const value = tryParseJson(content.replace(/^\uFEFF/, ""));
  if (value === undefined) return null;
  return typeof value === "object" && value !== null
    ? { format: "json", confidence: "high", reason: "It parses as a JSON object or array." }
    : { format: "json", confidence: "low", reason: "It parses as a single JSON value." };
}

function detectBrokenJson(content: string): DetectionResult | null {
  const [start = ""] = /^\s*[[{]/.exec(content) ?? [];
  if (start === "") return null;
  return {
    format: "json",
    confidence: "low",
    reason: `It starts with ${start.trim()}, but does not parse.`,
  };
}

function detectXml(content: string): DetectionResult | null {
  if (!/^\s*\uFEFF?</.test(content)) return null;
  return readXml(content).ok
    ? { format: "xml", confidence: "high", reason: "It is well-formed XML with one root element." }
    : { format: "xml", confidence: "low", reason: "It starts with <, but does not parse." };
}

function detectYaml(content: string): DetectionResult | null {
  const read = readYaml(content);
  if (!read.ok || typeof read.value.value !== "object" || read.value.value === null) return null;
  const kind = isJsonObject(read.value.value) ? "mapping" : "sequence";
  return { format: "yaml", confidence: "high", reason: `It parses as a YAML ${kind}.` };
}

function detectCsv(content: string): DetectionResult | null {
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
      : `The first line has ${columns} cells, but not every other line.`,
    columns,
    rows: body.length,
    delimiter,
  };
}

const UNKNOWN_RESULT: DetectionResult = {
  format: "unknown",
  confidence: "low",
  reason: "It is none of csv, json, yaml and xml.",
};
