import { askFirst } from "../../../../domain/context.ts";
import type { Task } from "../../../../domain/task.ts";
import type { Hands, StepOutcome, UsableTool } from "../../contract.ts";
import { nameOf } from "../calls.ts";
import { findingsOf } from "../findings.ts";
import { materialOf } from "../material.ts";
import { noTool, notRegistered, onward } from "../outcomes.ts";
import { analysingCalls, gatheringCalls, namesOf, wanted } from "../plan.ts";
import { remembered } from "../work.ts";

/** Capabilities that this agent knows how to use; others that it holds are not its business. */
const KNOWN_TOOLS = /^(?:table-analyst|text-analyst|chart-maker|format-bridge)\//;

/** Asks what is to be asked first, then sees what there is to read and what may be used for it. */
export async function planning(task: Task, hands: Hands): Promise<StepOutcome> {
  const question = askFirst(task.context);
  if (question !== null && !task.answers.some((answer) => answer.question === question)) {
    return { kind: "block", why: "input", question, work: {} };
  }
  const name = task.agentName ?? "The agent";
  const { sources } = await materialOf(task);
  const tools = sources.length === 0 ? await noTools(hands) : await hands.tools();
  if (tools === null) return notRegistered(name);
  const capabilities = namesOf(tools).filter((capability) => KNOWN_TOOLS.test(capability));
  const blind = analysingCalls(findingsOf(sources, []), task.task, false);
  const reading = wanted([...gatheringCalls(sources), ...blind], capabilities);
  if (sources.length > 0 && reading.granted.length === 0) {
    return noTool(reading.missing.map(nameOf), name);
  }
  const plan = { sources: remembered(sources), capabilities };
  return onward("planning", {
    plan,
    ...(Object.hasOwn(task.work, "gathered") ? { gathered: [], analysed: [], drawn: [] } : {}),
  });
}

/** Where there is nothing to read, there is nothing to call; but the agent must still be there. */
async function noTools(hands: Hands): Promise<readonly UsableTool[] | null> {
  return (await hands.isRegistered()) ? [] : null;
}
