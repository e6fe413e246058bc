import * as z from "zod";
import type { JsonObject } from "../../kernel/json.ts";
import type { CallFailure, StepExecutionContext } from "../../executors/contract.ts";
import { summarizeResult } from "./summarize-results.ts";
import type { InputSource } from "./inputs.ts";

/** A call of a tool about one source; `asked` are its parameters besides the source itself. */
export interface PlannedCall {
  readonly source: string;
  readonly tool: string;
  readonly capability: string;
  readonly asked: JsonObject;
}

// It comes from the task's own log, which holds nothing but JSON.
const jsonObjectSchema = z.custom<JsonObject>(
  (value) => typeof value === "object" && value !== null && !Array.isArray(value),
);

/** A call that was made: what it found, distilled, or why it found nothing. */
export const completedCallSchema = z.object({
  source: z.string(),
  tool: z.string(),
  capability: z.string(),
  asked: jsonObjectSchema,
  found: jsonObjectSchema.nullable(),
  problem: z
    .object({ kind: z.enum(["refused", "failed", "unreadable"]), message: z.string() })
    .nullable(),
});
export type CompletedCall = z.infer<typeof completedCallSchema>;

/** Entries so far; `question` is what the budget asks of people before the other calls can be made. */
export interface CompletedCalls {
  readonly entries: CompletedCall[];
  readonly budgetQuestion: string | null;
}

/**
 * Makes the calls that `done` does not hold yet, in order. Stops at the budget's question; any other
 * failure is written down, and the other calls go on.
 */
export async function executePlannedCalls(
  hands: StepExecutionContext,
  sources: readonly InputSource[],
  calls: readonly PlannedCall[],
  done: readonly CompletedCall[],
): Promise<CompletedCalls> {
  const entries = [...done];
  const completedKeys = new Set(done.map(callKeyOf));
  for (const call of calls) {
    if (completedKeys.has(callKeyOf(call))) continue;
    const outcome = await hands.callTool(
      call.tool,
      call.capability,
      buildParameters(call, sources),
    );
    if (!outcome.ok && outcome.failure.kind === "budget") {
      return { entries, budgetQuestion: outcome.failure.message };
    }
    completedKeys.add(callKeyOf(call));
    entries.push(
      outcome.ok ? toCompletedCall(call, outcome.value) : toFailedCall(call, outcome.failure),
    );
  }
  return { entries, budgetQuestion: null };
}

/** The source itself with what is asked of it, unless the call brings rows of its own. */
function buildParameters(
  { source, tool, asked }: PlannedCall,
  sources: readonly InputSource[],
): JsonObject {
  if (Object.hasOwn(asked, "data")) return asked;
  const { parameters = {} } = sources.find(({ id }) => id === source) ?? {};
  if (tool === "format-bridge") return { content: parameters["csv"] ?? "", ...asked };
  return { ...parameters, ...asked };
}

export function callKeyOf({ source, tool, capability, asked }: PlannedCall): string {
  return JSON.stringify([source, tool, capability, asked]);
}

/** "table-analyst/profile" */
export function capabilityPathOf({
  tool,
  capability,
}: Pick<PlannedCall, "tool" | "capability">): string {
  return `${tool}/${capability}`;
}

function toCompletedCall(call: PlannedCall, result: JsonObject): CompletedCall {
  const found = summarizeResult(call.tool, call.capability, result);
  const message = "The result did not have the shape that this agent knows.";
  return { ...call, found, problem: found === null ? { kind: "unreadable", message } : null };
}

function toFailedCall(call: PlannedCall, { kind, message }: CallFailure): CompletedCall {
  const publicMessage = message.replace(/^parameters\.(?:csv|data|text|content)/, call.source);
  return {
    ...call,
    found: null,
    problem: { kind: kind === "failed" ? "failed" : "refused", message: publicMessage },
  };
}
