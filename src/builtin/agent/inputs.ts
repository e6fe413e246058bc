import { sha256Hex } from "../../platform/crypto/hash.ts";
import type { Json, JsonObject } from "../../kernel/json.ts";
import { splitTaskText } from "../../tasks/model/task-input/split-task.ts";
import type { Task } from "../../tasks/model/task.ts";
import { formatAmount } from "./figures.ts";

/** A task input. `id` is its path; `parameters` contains it in the form that a tool accepts. */
export interface InputSource {
  readonly id: string;
  readonly kind: "table" | "text";
  /** Such as "344 rows" or "12,000 characters". */
  readonly amount: string;
  /** A hash of the content, which lets a later step detect a change. */
  readonly digest: string;
  readonly parameters: JsonObject;
}

/** A task's inputs. `unusable` contains a sentence for each input that cannot be read. */
export interface TaskInputs {
  readonly sources: readonly InputSource[];
  readonly unusable: readonly string[];
}

const SOURCE_KINDS = { csv: "table", data: "table", text: "text" } as const;
type InputKey = keyof typeof SOURCE_KINDS;

/** The limit per kind of source. More sources would make the report too long and the tool calls too expensive. */
const SOURCES_MAX = 3;
const DIGEST_CHARACTERS = 16;

/**
 * Reads `csv`, `data` and `text` from the context and from answers that are objects. If none of them can be read, reads
 * the task text.
 */
export async function readTaskInputs(task: Task): Promise<TaskInputs> {
  const places: [string, JsonObject][] = [["context", task.context]];
  for (const [index, { response }] of task.answers.entries()) {
    if (typeof response === "object" && response !== null)
      places.push([`answer ${index + 1}`, response]);
  }
  const sources: InputSource[] = [];
  const unusable: string[] = [];
  for (const [place, values] of places) {
    for (const key of ["csv", "data", "text"] as const) {
      if (!Object.hasOwn(values, key)) continue;
      const id = `${place}.${key}`;
      const problem = findInputProblem(key, values[key]);
      const kind = SOURCE_KINDS[key];
      if (problem !== null) unusable.push(`${id} ${problem}, so it was not read.`);
      else if (sources.filter((source) => source.kind === kind).length >= SOURCES_MAX) {
        unusable.push(`${id} was not read: the limit is ${SOURCES_MAX} ${kind}s.`);
      } else sources.push(await createInputSource(id, key, values[key] ?? null));
    }
  }
  if (sources.length > 0) return { sources, unusable };
  const { input, ignoredBlockCount = 0 } = splitTaskText(task.task);
  if (input === null) return { sources, unusable };
  if (ignoredBlockCount > 0) {
    unusable.push(
      `Only the first table in the task text was read; ${formatAmount(ignoredBlockCount, "other fenced block")} ${ignoredBlockCount === 1 ? "was" : "were"} ignored.`,
    );
  }
  return {
    sources: [await createInputSource(`task.${input.kind}`, input.kind, input.value)],
    unusable,
  };
}

function findInputProblem(key: InputKey, value: Json | undefined): string | null {
  if (key === "data") {
    if (!Array.isArray(value)) return "is not an array of row objects";
    return value.length === 0 ? "has no rows" : null;
  }
  if (typeof value !== "string") return "is not a string";
  return value.trim() === "" ? "is blank" : null;
}

async function createInputSource(id: string, key: InputKey, value: Json): Promise<InputSource> {
  const amount = Array.isArray(value)
    ? formatAmount(value.length, "row")
    : formatAmount(String(value).length, "character");
  const digest = (await sha256Hex(JSON.stringify(value))).slice(0, DIGEST_CHARACTERS);
  return { id, kind: SOURCE_KINDS[key], amount, digest, parameters: { [key]: value } };
}
