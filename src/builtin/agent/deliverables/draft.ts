import type { QualityScores, Task, TaskResult } from "../../../tasks/model/task.ts";
import type { CompletedCall } from "../tool-calls.ts";
import type { DrawnChart } from "../charts.ts";
import type { InputFindings } from "../findings.ts";
import type { Insight } from "../insights.ts";
import type { InputSource } from "../inputs.ts";
import type { TableData } from "../table-rows.ts";

/** The content of all deliverables. Texts are plain; each format escapes them. */
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

/** The main insights; the first ones if none is marked as main. */
export function selectMainInsights({ insights }: ReportDraft): string[] {
  const main = insights.filter(({ isMain }) => isMain);
  return (main.length === 0 ? insights : main).slice(0, MAIN_INSIGHTS_MAX).map(({ text }) => text);
}
