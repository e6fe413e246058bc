import type { Json, JsonObject } from "../../../../domain/json.ts";
import { shown, type Problem } from "../../../../domain/problem.ts";
import { fail, ok, type Result } from "../../../../domain/result.ts";
import { parseDocument } from "../json-workbench/document.ts";
import {
  CONTENT,
  FORMATS,
  type Format,
  type Read,
  type Reading,
  type Write,
  type Writing,
} from "./formats.ts";
import { readCsvRows } from "./read-csv.ts";
import { readXml } from "./read-xml.ts";
import { readYaml } from "./read-yaml.ts";
import { sizeProblem } from "./size.ts";
import { writeCsv } from "./write-csv.ts";
import { writeXml } from "./write-xml.ts";
import { writeYaml } from "./write-yaml.ts";

const READERS: Readonly<Record<Format, Read>> = {
  csv: readCsvRows,
  json: readJson,
  yaml: readYaml,
  xml: readXml,
};

const WRITERS: Readonly<Record<Format, Write>> = {
  csv: writeCsv,
  json: writeJson,
  yaml: writeYaml,
  xml: writeXml,
};

/** `{content, from, to, rows?, notes}`; `rows` when CSV is written or the data is an array. */
export async function convert(parameters: JsonObject): Promise<Result<JsonObject, Problem[]>> {
  const from = formatOf(parameters["from"], "from");
  const to = formatOf(parameters["to"], "to");
  if (!from.ok || !to.ok) {
    return fail([from, to].flatMap((word) => (word.ok ? [] : [word.failure])));
  }
  const reading = READERS[from.value](String(parameters[CONTENT]));
  if (!reading.ok) return fail([reading.failure]);
  const { value } = reading.value;
  const excess = sizeProblem(value);
  if (excess !== null) return fail([excess]);
  const writing = WRITERS[to.value](value);
  if (!writing.ok) return fail([writing.failure]);
  const rows = writing.value.rows ?? (Array.isArray(value) ? value.length : null);
  return ok({
    content: writing.value.content,
    from: from.value,
    to: to.value,
    ...(rows === null ? {} : { rows }),
    notes: [...reading.value.notes, ...writing.value.notes],
  });
}

function formatOf(word: Json | undefined, path: string): Result<Format, Problem> {
  const format = FORMATS.find((known) => known === word);
  if (format !== undefined) return ok(format);
  return fail({ path, message: `must be one of ${FORMATS.join(", ")}, got ${shown(word)}` });
}

function readJson(content: string): Result<Reading, Problem> {
  const document = parseDocument(content, CONTENT);
  return document.ok ? ok({ value: document.value, notes: [] }) : document;
}

function writeJson(value: Json): Result<Writing, Problem> {
  return ok({ content: JSON.stringify(value, null, 2), notes: [] });
}
