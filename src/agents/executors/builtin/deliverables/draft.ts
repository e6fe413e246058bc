import type { Quality, Task, TaskResult } from "../../../../domain/task.ts";
import type { Entry } from "../calls.ts";
import type { Chart } from "../charts.ts";
import type { Findings } from "../findings.ts";
import type { Insight } from "../insights/insight.ts";
import type { Source } from "../material.ts";
import type { TableData } from "../rows.ts";

/** All that deliverables are made of. Texts are plain, each format escapes them itself. */
export interface Draft {
  readonly task: Task;
  readonly sources: readonly Source[];
  readonly findings: Findings;
  readonly insights: readonly Insight[];
  readonly result: TaskResult;
  readonly quality: Quality;
  readonly limits: readonly string[];
  readonly charts: readonly Chart[];
  readonly entries: readonly Entry[];
  /** The rows of tables that may go into a spreadsheet. */
  readonly data: readonly TableData[];
}

const MAIN_MAX = 8;

/** The insights for a hurried reader; the first ones where none stands out. */
export function mainInsights({ insights }: Draft): string[] {
  const main = insights.filter(({ isMain }) => isMain);
  return (main.length === 0 ? insights : main).slice(0, MAIN_MAX).map(({ text }) => text);
}
