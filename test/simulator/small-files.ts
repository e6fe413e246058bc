import type { ExecutionContext, StepOutcome } from "../../src/executors/contract.ts";
import type { JsonObject } from "../../src/kernel/json.ts";
import type { Deliverable, Task } from "../../src/tasks/model/task.ts";

/**
 * Stores files as the built-in agent does: each draft step replaces all files, and a later step
 * delivers the latest draft.
 */
export async function withSmallFiles(
  task: Task,
  hands: ExecutionContext,
  mark: string,
  outcome: StepOutcome,
): Promise<StepOutcome> {
  if (outcome.kind === "progress") {
    const drafted = await draft(hands, mark);
    const work = { ...outcome.work, drafted: drafted.map((file): JsonObject => ({ ...file })) };
    return { ...outcome, work };
  }
  if (outcome.kind !== "complete") return outcome;
  const deliverables = draftedIn(task) ?? (await draft(hands, mark));
  return { ...outcome, outcome: { ...outcome.outcome, deliverables } };
}

async function draft(hands: ExecutionContext, mark: string): Promise<Deliverable[]> {
  const files: Deliverable[] = [];
  for (const name of [mark, `${mark}, in short`]) {
    const bytes = new TextEncoder().encode(name);
    files.push(await hands.saveFile({ type: "report", name, format: "text/plain", bytes }));
  }
  return files;
}

/** Parses a value that only the draft step above writes. */
function draftedIn({ work }: Task): Deliverable[] | null {
  return Array.isArray(work["drafted"]) ? (work["drafted"] as unknown as Deliverable[]) : null;
}
