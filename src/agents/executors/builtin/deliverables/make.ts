import type { NewFile } from "../../contract.ts";
import { capitalised, oneLine } from "../wording.ts";
import { analysisJson } from "./analysis.ts";
import type { Draft } from "./draft.ts";
import { nameGiver, stemOf } from "./names.ts";
import { presentationHtml } from "./presentation.ts";
import { documentMarkdown, reportHtml, reportMarkdown } from "./report.ts";
import { titleOf } from "./sections.ts";
import type { Workbook } from "./spreadsheet.ts";
import { summaryText } from "./summary-text.ts";
import { kindOf } from "./words.ts";

const MARKDOWN = "text/markdown; charset=utf-8";
const HTML = "text/html; charset=utf-8";
const TEXT = "text/plain; charset=utf-8";
const XLSX = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet";
const WORD_CHARACTERS_MAX = 60;

type NewText = { readonly name: string; readonly format: string; readonly text: string };

/**
 * The files for the words asked for, each of the type that is exactly its word. `workbook` is there
 * when a word asks for a spreadsheet. A chart that could not be drawn makes no file.
 */
export async function filesOf(
  draft: Draft,
  words: readonly string[],
  workbook: Workbook | null,
): Promise<NewFile[]> {
  const nameFor = nameGiver();
  const files: NewFile[] = [];
  for (const word of words) {
    if (kindOf(word) === "spreadsheet") {
      const name = nameFor("spreadsheet", "xlsx");
      const bytes = workbook?.bytes ?? new Uint8Array();
      files.push({ type: word, name, format: XLSX, bytes });
      continue;
    }
    for (const { name, format, text } of await textsOf(word, draft, nameFor)) {
      files.push({ type: word, name, format, bytes: new TextEncoder().encode(text) });
    }
  }
  return files;
}

async function textsOf(
  word: string,
  draft: Draft,
  nameFor: ReturnType<typeof nameGiver>,
): Promise<NewText[]> {
  const kind = kindOf(word);
  switch (kind) {
    case "report":
      return [
        { name: nameFor("report", "md"), format: MARKDOWN, text: reportMarkdown(draft) },
        { name: nameFor("report", "html"), format: HTML, text: await reportHtml(draft) },
      ];
    case "presentation":
      return [
        {
          name: nameFor("presentation", "html"),
          format: HTML,
          text: await presentationHtml(draft),
        },
      ];
    case "analysis":
      return [
        {
          name: nameFor("analysis", "json"),
          format: "application/json",
          text: analysisJson(draft),
        },
      ];
    case "chart":
      return draft.charts.map(({ svg }) => ({
        name: nameFor("chart", "svg"),
        format: "image/svg+xml",
        text: svg,
      }));
    case "summary":
      return [{ name: nameFor("summary", "txt"), format: TEXT, text: summaryText(draft) }];
    case "spreadsheet":
      return [];
    case null: {
      const title = `${capitalised(oneLine(word, WORD_CHARACTERS_MAX))}: ${titleOf(draft.task)}`;
      const text = documentMarkdown(title, draft);
      return [{ name: nameFor(stemOf(word), "md"), format: MARKDOWN, text }];
    }
  }
}
