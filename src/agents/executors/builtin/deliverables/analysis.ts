import { nameOf } from "../calls.ts";
import type { Draft } from "./draft.ts";

/** Everything that was found, for machines: the findings with the calls they come from. */
export function analysisJson(draft: Draft): string {
  const { task, sources, findings, insights, result, quality, limits, entries } = draft;
  return JSON.stringify(
    {
      task: task.task,
      sources: sources.map(({ id, kind, amount, digest }) => ({ id, kind, amount, digest })),
      summary: result.summary,
      insights: insights.map(({ text, verdict }) => ({ text, check: verdict })),
      recommendations: result.recommendations,
      findings,
      limits,
      quality,
      calls: entries.map((entry) => ({
        capability: nameOf(entry),
        source: entry.source,
        asked: entry.asked,
        problem: entry.problem,
      })),
    },
    null,
    2,
  );
}
