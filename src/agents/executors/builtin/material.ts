import { sha256 } from "../../../bytes/sha256.ts";
import type { Json, JsonObject } from "../../../domain/json.ts";
import { splitTask } from "../../../domain/task-input/split.ts";
import type { Task } from "../../../domain/task.ts";
import { counted } from "./wording.ts";

/** Something the task gives to read: `id` says where it lies, `parameters` hand it to a tool. */
export interface Source {
  readonly id: string;
  readonly kind: "table" | "text";
  /** "344 rows" or "1200 characters". */
  readonly amount: string;
  /** Of the content, so that a later step sees when it was replaced. */
  readonly digest: string;
  readonly parameters: JsonObject;
}

/** What there is to read; `unusable` says, a sentence each, what was given and cannot be. */
export interface Material {
  readonly sources: readonly Source[];
  readonly unusable: readonly string[];
}

const KINDS = { csv: "table", data: "table", text: "text" } as const;
type Key = keyof typeof KINDS;

/** Of each kind; more would make a report that nobody reads, at a call's price for each of its parts. */
const SOURCES_MAX = 3;
const DIGEST_BYTES = 8;

/**
 * Reads `csv`, `data` and `text` from the task's context and from answers that are objects. If none is
 * readable, reads the input in the task's own text.
 */
export async function materialOf(task: Task): Promise<Material> {
  const places: [string, JsonObject][] = [["context", task.context]];
  for (const [index, { response }] of task.answers.entries()) {
    if (typeof response === "object" && response !== null)
      places.push([`answer ${index + 1}`, response]);
  }
  const sources: Source[] = [];
  const unusable: string[] = [];
  for (const [place, values] of places) {
    for (const key of ["csv", "data", "text"] as const) {
      if (!Object.hasOwn(values, key)) continue;
      const id = `${place}.${key}`;
      const problem = problemOf(key, values[key]);
      const kind = KINDS[key];
      if (problem !== null) unusable.push(`${id} ${problem}, so it was not read.`);
      else if (sources.filter((source) => source.kind === kind).length >= SOURCES_MAX) {
        unusable.push(`${id} was not read: at most ${SOURCES_MAX} ${kind}s are.`);
      } else sources.push(await sourceOf(id, key, values[key] ?? null));
    }
  }
  if (sources.length > 0) return { sources, unusable };
  const { input, ignoredBlocks = 0 } = splitTask(task.task);
  if (input === null) return { sources, unusable };
  if (ignoredBlocks > 0) {
    unusable.push(
      `Only the first table in the task's text was read; ignored fenced blocks: ${ignoredBlocks}.`,
    );
  }
  return { sources: [await sourceOf(`task.${input.kind}`, input.kind, input.value)], unusable };
}

function problemOf(key: Key, value: Json | undefined): string | null {
  if (key === "data") {
    if (!Array.isArray(value)) return "is not an array of row objects";
    return value.length === 0 ? "has no rows" : null;
  }
  if (typeof value !== "string") return "is not a text";
  return value.trim() === "" ? "is blank" : null;
}

async function sourceOf(id: string, key: Key, value: Json): Promise<Source> {
  const amount = Array.isArray(value)
    ? counted(value.length, "row")
    : counted(String(value).length, "character");
  const digest = await digestOf(value);
  return { id, kind: KINDS[key], amount, digest, parameters: { [key]: value } };
}

async function digestOf(value: Json): Promise<string> {
  return (await sha256(JSON.stringify(value))).slice(0, 2 * DIGEST_BYTES);
}
