import { isJsonObject, type JsonObject } from "../../../../domain/json.ts";
import type { Problem } from "../../../../domain/problem.ts";
import { fail, ok, type Result } from "../../../../domain/result.ts";
import { parseCsv } from "../table/csv.ts";
import { CONTENT, type Format } from "./formats.ts";
import { readXml } from "./read-xml.ts";
import { readYaml } from "./read-yaml.ts";

interface Finding {
  readonly format: Format | "unknown";
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
export async function detect(parameters: JsonObject): Promise<Result<JsonObject, Problem[]>> {
  const content = String(parameters[CONTENT]);
  if (content.trim() === "") return fail([{ path: CONTENT, message: "must not be blank" }]);
  const found = [asJson, asXml, asYaml, asBrokenJson, asCsv].reduce<Finding | null>(
    (finding, look) => finding ?? look(content),
    null,
  );
  return ok({ ...(found ?? unknown()) });
}

function asJson(content: string): Finding | null {
  try {
    const value: unknown = JSON.parse(content.replace(/^\uFEFF/, ""));
    return typeof value === "object" && value !== null
      ? { format: "json", confidence: "high", reason: "It parses as a JSON object or array." }
      : { format: "json", confidence: "low", reason: "It parses as a single JSON value." };
  } catch {
    return null;
  }
}

function asBrokenJson(content: string): Finding | null {
  const [start = ""] = /^\s*[[{]/.exec(content) ?? [];
  if (start === "") return null;
  return {
    format: "json",
    confidence: "low",
    reason: `It starts with ${start.trim()}, but does not parse.`,
  };
}

function asXml(content: string): Finding | null {
  if (
    !content
      .trimStart()
      .replace(/^\uFEFF/, "")
      .startsWith("<")
  )
    return null;
  return readXml(content).ok
    ? { format: "xml", confidence: "high", reason: "It is well-formed XML with one root element." }
    : { format: "xml", confidence: "low", reason: "It starts with <, but does not parse." };
}

function asYaml(content: string): Finding | null {
  const read = readYaml(content);
  if (!read.ok || typeof read.value.value !== "object" || read.value.value === null) return null;
  const kind = isJsonObject(read.value.value) ? "mapping" : "sequence";
  return { format: "yaml", confidence: "high", reason: `It parses as a YAML ${kind}.` };
}

function asCsv(content: string): Finding | null {
  const parsed = parseCsv(content, CONTENT);
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

function unknown(): Finding {
  return { format: "unknown", confidence: "low", reason: "It is none of csv, json, yaml and xml." };
}
