import * as z from "zod";
import type { JsonObject } from "../../kernel/json.ts";
import type { CallFailure, ExecutionContext } from "../../executors/contract.ts";
import { storedObjectSchema } from "../../executors/stored-outcome.ts";
import { summarizeResult } from "./summarize-results.ts";
import type { InputSource } from "./inputs.ts";

/** A call of a tool about one source; `asked` are its parameters besides the source itself. */
export interface PlannedCall {
  readonly source: string;
  readonly tool: string;
  readonly capability: string;
  readonly asked: JsonObject;
}

/** An executed call with its summarized result, or the reason why it has none. */
export const completedCallSchema = z.object({
  source: z.string(),
  tool: z.string(),
  capability: z.string(),
  asked: storedObjectSchema,
  found: storedObjectSchema.nullable(),
  problem: z
    .object({ kind: z.enum(["refused", "failed", "unreadable"]), message: z.string() })
    .nullable(),
});
export type CompletedCall = z.infer<typeof completedCallSchema>;

/** The calls so far; `budgetQuestion`: the question to people if the budget does not allow the others. */
export interface CompletedCalls {
  readonly entries: CompletedCall[];
  readonly budgetQuestion: string | null;
}

/**
 * Executes the calls that `done` does not contain, in order. Stops if the budget does not allow a call; any
 * other failure is recorded, and the other calls continue.
 */
export async function executePlannedCalls(
  context: ExecutionContext,
  sources: readonly InputSource[],
  calls: readonly PlannedCall[],
  done: readonly CompletedCall[],
): Promise<CompletedCalls> {
  const entries = [...done];
  const completedKeys = new Set(done.map(callKeyOf));
  for (const call of calls) {
    if (completedKeys.has(callKeyOf(call))) continue;
    const parameters = buildParameters(call, sources);
    const outcome = await context.callTool(call.tool, call.capability, parameters);
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

/** The parameters of the source and of the call; a call with its own rows needs no source. */
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
