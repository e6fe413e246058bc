import type { Schemas } from "../api/client.ts";

export type NewTask = Schemas["CreateTaskBody"];

/** The fields of the form, as typed. */
export interface NewTaskFields {
  readonly title: string;
  readonly task: string;
  readonly agentId: string;
  readonly teamId: string;
  readonly priority: NonNullable<NewTask["priority"]>;
  /** A local time, such as `2026-11-27T18:30`. */
  readonly deadline: string;
  /** Kinds of file, separated by commas. */
  readonly deliverables: string;
  /** One `key:value` per line. */
  readonly labels: string;
  /** A JSON object, to which the files are added. */
  readonly context: string;
  readonly files: readonly ContextFile[];
  readonly maxCost: string;
  readonly maxToolCalls: string;
  readonly maxMinutes: string;
}

/** A text file that becomes a field of the context: `csv` for CSV files, `text` for others. */
export interface ContextFile {
  readonly name: string;
  readonly text: string;
}

export const EMPTY_FIELDS: NewTaskFields = {
  title: "",
  task: "",
  agentId: "",
  teamId: "",
  priority: "medium",
  deadline: "",
  deliverables: "",
  labels: "",
  context: "",
  files: [],
  maxCost: "",
  maxToolCalls: "",
  maxMinutes: "",
};

/** The maximum total size of the files. The API accepts requests of up to 1 MiB, including the other fields. */
const FILES_BYTES_MAX = 1_000_000;

/** The number of decimal places in seconds. */
const SECONDS_DIGITS = 6;

export type Parsed =
  | { readonly ok: true; readonly body: NewTask }
  | { readonly ok: false; readonly field: keyof NewTaskFields; readonly problem: string };

/** The request of the form, or the first problem that only the form can have. The API checks everything else. */
export function toNewTask(fields: NewTaskFields): Parsed {
  const file = fileProblem(fields.files);
  if (file !== null) return { ok: false, field: "files", problem: file };
  const context = parseContext(fields);
  if (typeof context === "string") return { ok: false, field: "context", problem: context };
  const labels = parseLabels(fields.labels);
  if (typeof labels === "string") return { ok: false, field: "labels", problem: labels };
  const budget = {
    ...numberField("maxCost", fields.maxCost),
    ...numberField("maxToolCalls", fields.maxToolCalls),
    ...secondsField("maxDurationSeconds", fields.maxMinutes),
  };
  const deliverables = fields.deliverables
    .split(",")
    .map((one) => one.trim())
    .filter((one) => one !== "");
  const title = fields.title.trim();
  return {
    ok: true,
    body: {
      task: fields.task,
      ...(title !== "" && { title }),
      ...(fields.agentId !== "" && { agentId: fields.agentId }),
      ...(fields.teamId !== "" && { teamId: fields.teamId }),
      priority: fields.priority,
      ...(fields.deadline !== "" && { deadline: new Date(fields.deadline).toISOString() }),
      ...(deliverables.length > 0 && { deliverables }),
      ...(Object.keys(labels).length > 0 && { labels }),
      ...(Object.keys(context).length > 0 && { context }),
      ...(Object.keys(budget).length > 0 && { budget }),
    },
  };
}

function numberField(name: string, text: string): Record<string, number> {
  return text.trim() === "" ? {} : { [name]: Number(text) };
}

/** Converts minutes to seconds. Rounds, so that whole seconds that are entered as minutes stay whole. */
function secondsField(name: string, minutes: string): Record<string, number> {
  if (minutes.trim() === "") return {};
  return { [name]: Number((Number(minutes) * 60).toFixed(SECONDS_DIGITS)) };
}

/** Why the files cannot be sent; null if they can. */
function fileProblem(files: readonly ContextFile[]): string | null {
  const binary = files.find(({ text }) => text.includes("\u0000"));
  if (binary !== undefined) return `“${binary.name}” is not a text file. Remove it.`;
  const bytes = files.reduce((sum, { text }) => sum + new TextEncoder().encode(text).length, 0);
  if (bytes <= FILES_BYTES_MAX) return null;
  return `The files are ${bytes.toLocaleString("en")} bytes in total, but the maximum is ${FILES_BYTES_MAX.toLocaleString("en")}. Remove or shorten a file.`;
}

/** The context with the files, or why there is none. */
function parseContext({ context, files }: NewTaskFields): Record<string, unknown> | string {
  let parsed: unknown = {};
  if (context.trim() !== "") {
    try {
      parsed = JSON.parse(context);
    } catch (error) {
      return `This is not valid JSON: ${error instanceof Error ? error.message : String(error)}`;
    }
  }
  if (typeof parsed !== "object" || parsed === null || Array.isArray(parsed))
    return 'The context must be a JSON object, such as {"text": "…"}.';
  const result: Record<string, unknown> = { ...parsed };
  for (const { name, text } of files) {
    const field = name.toLowerCase().endsWith(".csv") ? "csv" : "text";
    if (field in result)
      return `The context already has the field “${field}”, so “${name}” cannot be added.`;
    result[field] = text;
  }
  return result;
}

/** The labels, or why there are none. */
function parseLabels(text: string): Record<string, string> | string {
  const labels: Record<string, string> = {};
  for (const line of text.split("\n")) {
    if (line.trim() === "") continue;
    const colon = line.indexOf(":");
    if (colon < 1) return "Write one label per line, as key:value.";
    const key = line.slice(0, colon).trim();
    if (Object.hasOwn(labels, key))
      return `The label “${key}” appears twice. Remove one of the lines.`;
    labels[key] = line.slice(colon + 1).trim();
  }
  return labels;
}
