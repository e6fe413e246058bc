import type { QualityScores, Task, TaskResult } from "../../../tasks/model/task.ts";
import type { CompletedCall } from "../tool-calls.ts";
import type { DrawnChart } from "../charts.ts";
import type { InputFindings } from "../findings.ts";
import type { Insight } from "../insights.ts";
import type { InputSource } from "../inputs.ts";
import type { TableData } from "../table-rows.ts";

/** All that deliverables are made of. Texts are plain, each format escapes them itself. */
export interface ReportDraft {
  readonly task: Task;
  readonly sources: readonly InputSource[];
  readonly findings: InputFindings;
  readonly insights: readonly Insight[];
  readonly result: TaskResult;
  readonly quality: QualityScores;
  readonly limits: readonly string[];
  readonly charts: readonly DrawnChart[];
  readonly entries: readonly CompletedCall[];
  /** The rows of tables that may go into a spreadsheet. */
  readonly data: readonly TableData[];
}

const MAIN_INSIGHTS_MAX = 8;

/** The insights for a hurried reader; the first ones where none stands out. */
export function selectMainInsights({ insights }: ReportDraft): string[] {
  const main = insights.filter(({ isMain }) => isMain);
  return (main.length === 0 ? insights : main).slice(0, MAIN_INSIGHTS_MAX).map(({ text }) => text);
}
