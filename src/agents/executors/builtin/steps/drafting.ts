import type { Deliverable, Task } from "../../../../domain/task.ts";
import type { Hands, StepOutcome } from "../../contract.ts";
import { makeCalls, type Entry } from "../calls.ts";
import { chartPlans, chartsOf } from "../charts.ts";
import { composed } from "../compose.ts";
import { filesOf } from "../deliverables/make.ts";
import { kindOf, wordsOf, type Kind } from "../deliverables/words.ts";
import { findingsOf } from "../findings.ts";
import { materialOf } from "../material.ts";
import { anew, notRegistered, onward } from "../outcomes.ts";
import { namesOf, wanted } from "../plan.ts";
import { isCopied, rowCalls, tableDataOf } from "../rows.ts";
import { isAsPlanned, workOf } from "../work.ts";

const WITH_CHARTS: readonly Kind[] = ["report", "presentation", "chart"];
/** A larger drawing is made again rather than kept in the task's log while the budget is asked for. */
const KEPT_SVG_CHARACTERS_MAX = 64_000;

/** Draws the charts, words the result, and writes every deliverable. */
export async function drafting(task: Task, hands: Hands): Promise<StepOutcome> {
  const { plan, gathered, analysed, drawn } = workOf(task.work);
  const material = await materialOf(task);
  const { sources } = material;
  if (plan === null || !isAsPlanned(plan, sources)) return anew(task.progress);
  const findings = findingsOf(sources, [...gathered, ...analysed]);
  const words = wordsOf(task);
  const asks = (kinds: readonly Kind[]) =>
    words.some((word) => kinds.some((kind) => kind === kindOf(word)));
  const plans = asks(WITH_CHARTS) ? chartPlans(findings, task.task) : [];
  const tables = sources.filter(({ id }) =>
    findings.tables.some((table) => table.source === id && isCopied(table)),
  );
  const calls = [
    ...plans.map(({ call }) => call),
    ...(asks(["spreadsheet"]) ? rowCalls(tables) : []),
  ];
  // Asked anew, where there is something to call: a reviewer who wants a chart may have granted the tool for it.
  const tools = calls.length === 0 ? [] : await hands.tools();
  if (tools === null) return notRegistered(task.agentName ?? "The agent");
  const { granted, missing } = wanted(calls, namesOf(tools));
  const { entries, question } = await makeCalls(hands, sources, granted, drawn);
  if (question !== null) {
    return { kind: "block", why: "budget", question, work: { drawn: entries.filter(isKept) } };
  }
  const { draft, workbook } = await composed({
    task,
    material,
    plan,
    findings,
    words,
    entries: [...gathered, ...analysed, ...entries],
    missing,
    charts: chartsOf(plans, entries),
    data: tableDataOf(tables, findings, entries),
  });
  const deliverables: Deliverable[] = [];
  for (const file of await filesOf(draft, words, workbook)) {
    deliverables.push(await hands.save(file));
  }
  const { result, quality } = draft;
  const drafted = {
    result: {
      ...result,
      insights: [...result.insights],
      recommendations: [...result.recommendations],
    },
    quality: { ...quality },
    deliverables: deliverables.map((deliverable) => ({ ...deliverable })),
  };
  return onward("drafting", { drafted, ...(drawn.length === 0 ? {} : { drawn: [] }) });
}

function isKept({ capability, found }: Entry): boolean {
  if (capability === "convert") return false;
  const svg = found?.["svg"];
  return typeof svg !== "string" || svg.length <= KEPT_SVG_CHARACTERS_MAX;
}
