import type { ReportDraft } from "./draft.ts";
import { reportTitleOf } from "./sections.ts";
import { capabilityPathOf } from "../tool-calls.ts";
import type { NewFile } from "../../../executors/contract.ts";
import { capitalize, toSingleLine } from "../../../kernel/text.ts";
import { createFileNamer, toFileStem } from "../../../tasks/model/files.ts";
import { renderPresentationHtml } from "./presentation.ts";
import { renderDocumentMarkdown, renderReportHtml, renderReportMarkdown } from "./report.ts";
import type { Workbook } from "./spreadsheet.ts";
import { parseDeliverableKind } from "./kinds.ts";

const MARKDOWN_TYPE = "text/markdown; charset=utf-8";
const HTML_TYPE = "text/html; charset=utf-8";
const TEXT_TYPE = "text/plain; charset=utf-8";
const XLSX_TYPE = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet";
const TYPE_CHARACTERS_MAX = 60;

type TextFile = { readonly name: string; readonly format: string; readonly text: string };

/**
 * The files for the requested deliverable types. `workbook`: present if a type asks for a spreadsheet. A chart
 * that could not be drawn makes no file.
 */
export async function renderDeliverables(
  draft: ReportDraft,
  types: readonly string[],
  workbook: Workbook | null,
): Promise<NewFile[]> {
  const nameFor = createFileNamer();
  const files: NewFile[] = [];
  for (const type of types) {
    if (parseDeliverableKind(type) === "spreadsheet") {
      const name = nameFor("spreadsheet", "xlsx");
      const bytes = workbook?.bytes ?? new Uint8Array();
      files.push({ type, name, format: XLSX_TYPE, bytes });
      continue;
    }
    for (const { name, format, text } of await renderTextFiles(type, draft, nameFor)) {
      files.push({ type, name, format, bytes: new TextEncoder().encode(text) });
    }
  }
  return files;
}

async function renderTextFiles(
  type: string,
  draft: ReportDraft,
  nameFor: ReturnType<typeof createFileNamer>,
): Promise<TextFile[]> {
  const kind = parseDeliverableKind(type);
  switch (kind) {
    case "report":
      return [
        { name: nameFor("report", "md"), format: MARKDOWN_TYPE, text: renderReportMarkdown(draft) },
        { name: nameFor("report", "html"), format: HTML_TYPE, text: await renderReportHtml(draft) },
      ];
    case "presentation":
      return [
        {
          name: nameFor("presentation", "html"),
          format: HTML_TYPE,
          text: await renderPresentationHtml(draft),
        },
      ];
    case "analysis":
      return [
        {
          name: nameFor("analysis", "json"),
          format: "application/json",
          text: renderAnalysisJson(draft),
        },
      ];
    case "chart":
      return draft.charts.map(({ svg }) => ({
        name: nameFor("chart", "svg"),
        format: "image/svg+xml",
        text: svg,
      }));
    case "summary":
      return [
        { name: nameFor("summary", "txt"), format: TEXT_TYPE, text: renderSummaryText(draft) },
      ];
    case "spreadsheet":
      return [];
    case null: {
      const title = `${capitalize(toSingleLine(type, TYPE_CHARACTERS_MAX))}: ${reportTitleOf(draft.task)}`;
      const text = renderDocumentMarkdown(title, draft);
      return [{ name: nameFor(toFileStem(type), "md"), format: MARKDOWN_TYPE, text }];
    }
  }
}

/** The findings with their calls as JSON. */
function renderAnalysisJson(draft: ReportDraft): string {
  const { task, sources, findings, insights, result, quality, limits, entries } = draft;
  return JSON.stringify(
    {
      task: task.task,
      sources: sources.map(({ id, kind, amount, digest }) => ({ id, kind, amount, digest })),
      summary: result.summary,
      insights: insights.map(({ text, crossCheck }) => ({ text, check: crossCheck })),
      recommendations: result.recommendations,
      findings,
      limits,
      quality,
      calls: entries.map((entry) => ({
        capability: capabilityPathOf(entry),
        source: entry.source,
        asked: entry.asked,
        problem: entry.problem,
      })),
    },
    null,
    2,
  );
}

/** The result as plain text. */
function renderSummaryText(draft: ReportDraft): string {
  const { result, limits } = draft;
  const parts = [
    reportTitleOf(draft.task),
    result.summary,
    formatPlainList("Insights", result.insights),
    formatPlainList("Recommendations", result.recommendations),
    formatPlainList("Limits of this work", limits),
  ];
  return `${parts.filter((part) => part !== "").join("\n\n")}\n`;
}

function formatPlainList(heading: string, items: readonly string[]): string {
  return items.length === 0 ? "" : [heading, ...items.map((item) => `- ${item}`)].join("\n");
}
