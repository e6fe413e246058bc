import { isJsonObject } from "../../../../domain/json.ts";
import type { Task } from "../../../../domain/task.ts";
import { nameOf, type Entry } from "../calls.ts";
import { counted, oneLine } from "../wording.ts";
import { tableSection, textSection } from "./data-sections.ts";
import { mainInsights, type Draft } from "./draft.ts";
import { bullets, plain, quotation, table } from "./markdown.ts";
import { section, type Section } from "./section.ts";

const TITLE_CHARACTERS_MAX = 100;
const ANSWER_CHARACTERS_MAX = 2_000;
const PROBLEM_CHARACTERS_MAX = 120;

/** The first line of the task, as a title. */
export function titleOf({ task }: Task): string {
  const [first = ""] = task.trim().split(/[\r\n]/);
  return oneLine(first, TITLE_CHARACTERS_MAX) || "Report";
}

/** The parts of a full document, in reading order. */
export function sectionsOf(draft: Draft): Section[] {
  const { task, findings, result, limits, charts } = draft;
  return [
    ...section("The task", [task.task.trim().includes("\n") ? quotation(task.task.trim()) : ""]),
    ...section("Summary", [plain(result.summary)]),
    ...section("Main findings", [bullets(mainInsights(draft))], charts),
    ...section("Recommendations", [bullets(result.recommendations)]),
    ...findings.tables.flatMap(tableSection),
    ...findings.texts.flatMap(textSection),
    ...peopleSections(task),
    ...section("Limits of this work", [bullets(limits)]),
    ...workSection(draft),
  ];
}

/** What people said on the way: answers and review comments, quoted. */
export function peopleSections({ answers, reviewComments }: Task): Section[] {
  const quoted = answers.flatMap(({ question, response }) => {
    if (response === null) return [];
    const keys = isJsonObject(response) ? Object.keys(response).join(", ") : "";
    const text =
      typeof response === "string" ? response.slice(0, ANSWER_CHARACTERS_MAX) : `(values: ${keys})`;
    return [plain(question), quotation(text)];
  });
  return [...section("Answers", quoted), ...section("Review notes", reviewComments.map(quotation))];
}

function workSection({ quality, entries }: Draft): Section[] {
  const { score, accuracy, completeness, clarity } = quality;
  const figures = `Quality ${score} of 100: accuracy ${accuracy}, completeness ${completeness}, clarity ${clarity}.`;
  const made =
    entries.length === 0 ? "No tool was called." : `${counted(entries.length, "call")} of tools:`;
  const calls = entries.map((entry) => [
    nameOf(entry),
    entry.source,
    askedText(entry),
    outcome(entry),
  ]);
  return section("How this was made", [
    figures,
    made,
    calls.length === 0 ? "" : table(["Capability", "Source", "About", "Outcome"], calls),
  ]);
}

function askedText({ asked }: Entry): string {
  const named = Object.entries(asked).filter(([, value]) => typeof value === "string");
  return named.map(([key, value]) => `${key} ${String(value)}`).join(", ");
}

function outcome({ problem }: Entry): string {
  return problem === null
    ? "done"
    : `${problem.kind}: ${oneLine(problem.message, PROBLEM_CHARACTERS_MAX)}`;
}
