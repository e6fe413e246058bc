import * as z from "zod";
import type { JsonObject } from "../../../domain/json.ts";
import type { CallFailure, Hands } from "../contract.ts";
import { distil } from "./distil.ts";
import type { Source } from "./material.ts";

/** A call of a tool about one source; `asked` are its parameters besides the source itself. */
export interface Call {
  readonly source: string;
  readonly tool: string;
  readonly capability: string;
  readonly asked: JsonObject;
}

// It comes from the task's own log, which holds nothing but JSON.
const jsonObject = z.custom<JsonObject>(
  (value) => typeof value === "object" && value !== null && !Array.isArray(value),
);

/** A call that was made: what it found, distilled, or why it found nothing. */
export const entryShape = z.object({
  source: z.string(),
  tool: z.string(),
  capability: z.string(),
  asked: jsonObject,
  found: jsonObject.nullable(),
  problem: z
    .object({ kind: z.enum(["refused", "failed", "unreadable"]), message: z.string() })
    .nullable(),
});
export type Entry = z.infer<typeof entryShape>;

/** Entries so far; `question` is what the budget asks of people before the other calls can be made. */
export interface Round {
  readonly entries: Entry[];
  readonly question: string | null;
}

/**
 * Makes the calls that `done` does not hold yet, in order. Stops at the budget's question; any other
 * failure is written down, and the other calls go on.
 */
export async function makeCalls(
  hands: Hands,
  sources: readonly Source[],
  calls: readonly Call[],
  done: readonly Entry[],
): Promise<Round> {
  const entries = [...done];
  const made = new Set(done.map(keyOf));
  for (const call of calls) {
    if (made.has(keyOf(call))) continue;
    const outcome = await hands.call(call.tool, call.capability, parametersOf(call, sources));
    if (!outcome.ok && outcome.failure.kind === "budget") {
      return { entries, question: outcome.failure.message };
    }
    made.add(keyOf(call));
    entries.push(outcome.ok ? entryOf(call, outcome.value) : failed(call, outcome.failure));
  }
  return { entries, question: null };
}

/** The source itself with what is asked of it, unless the call brings rows of its own. */
function parametersOf({ source, tool, asked }: Call, sources: readonly Source[]): JsonObject {
  if (Object.hasOwn(asked, "data")) return asked;
  const { parameters = {} } = sources.find(({ id }) => id === source) ?? {};
  if (tool === "format-bridge") return { content: parameters["csv"] ?? "", ...asked };
  return { ...parameters, ...asked };
}

export function keyOf({ source, tool, capability, asked }: Call): string {
  return JSON.stringify([source, tool, capability, asked]);
}

/** "table-analyst/profile" */
export function nameOf({ tool, capability }: Pick<Call, "tool" | "capability">): string {
  return `${tool}/${capability}`;
}

function entryOf(call: Call, result: JsonObject): Entry {
  const found = distil(call.tool, call.capability, result);
  const message = "The result did not have the shape that this agent knows.";
  return { ...call, found, problem: found === null ? { kind: "unreadable", message } : null };
}

function failed(call: Call, { kind, message }: CallFailure): Entry {
  const told = message.replace(/^parameters\.(?:csv|data|text|content)/, call.source);
  return {
    ...call,
    found: null,
    problem: { kind: kind === "failed" ? "failed" : "refused", message: told },
  };
}
