import type { JsonObject } from "../../../domain/json.ts";
import type { StepOutcome } from "../contract.ts";
import { nameOf, type Entry } from "./calls.ts";
import { PHASES, type Phase } from "./phases.ts";
import { counted } from "./wording.ts";

const ALL_PERCENT = 100;
const PROBLEMS_TOLD_MAX = 3;

/** On to the phase after `done`, with what it left for the later ones. */
export function onward(done: Phase, work: JsonObject): StepOutcome {
  const place = PHASES.indexOf(done) + 1;
  const progress = (place * ALL_PERCENT) / PHASES.length;
  return { kind: "progress", progress, phase: PHASES[place] ?? done, work };
}

/** Back to planning: the material was replaced, so that what was found so far is void. */
export function anew(progress: number): StepOutcome {
  return { kind: "progress", progress, phase: "planning", work: { plan: null } };
}

/** Of a task whose calls all came to nothing. What was refused may be allowed another time. */
export function nothingDone(entries: readonly Entry[]): StepOutcome {
  const problems = [...new Set(entries.map(({ problem }) => problem?.message ?? ""))];
  const told = problems.slice(0, PROBLEMS_TOLD_MAX).join(" ");
  const message = `Nothing could be done: ${counted(entries.length, "call")} of tools gave no result. ${told}`;
  const retryable = entries.some(({ problem }) => problem?.kind === "refused");
  const calls = entries.map((entry) => ({
    capability: nameOf(entry),
    source: entry.source,
    problem: entry.problem?.message ?? "",
  }));
  return { kind: "fail", error: { code: "TOOL_ERROR", message, retryable, details: { calls } } };
}

/** Of a task whose material no granted tool can read. */
export function noTool(capabilities: readonly string[], agentName: string): StepOutcome {
  const needed = [...new Set(capabilities)].join(", ");
  const message = `${agentName} has no access to a tool that reads the material; it needs one of ${needed}.`;
  const details = { needed: [...new Set(capabilities)] };
  return { kind: "fail", error: { code: "TOOL_ERROR", message, retryable: true, details } };
}

export function notRegistered(agentName: string): StepOutcome {
  const message = `${agentName} is no longer registered and enabled.`;
  return { kind: "fail", error: { code: "AGENT_ERROR", message, retryable: true } };
}
