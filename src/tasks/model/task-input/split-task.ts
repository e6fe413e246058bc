import type { JsonObject } from "../../../kernel/json.ts";
import {
  isInputAnnouncement,
  isReadingRequest,
  isRequestAboutPrecedingText,
  isInstructionContinuation,
  isRequestWithoutSubject,
  isDirection,
} from "./clauses.ts";
import { findCsvTable, findJsonRows, type InlineTable } from "./inline-table.ts";

/** The input found in a task's text. `kind` is the name of the corresponding context field. */
type TaskInput =
  | { readonly kind: "csv"; readonly value: string }
  | { readonly kind: "data"; readonly value: JsonObject[] }
  | { readonly kind: "text"; readonly value: string };

/** A task's text, split into instruction and input. `input` is null if the whole text is an instruction. */
export interface SplitTaskText {
  readonly instruction: string;
  readonly input: TaskInput | null;
  /** The number of fenced blocks that are ignored because another block is a table; absent if zero. */
  readonly ignoredBlockCount?: number;
}

/** The named groups in BOUNDARY. */
const BOUNDARY_MARKS = ["colon", "paragraph", "line", "sentence", "quote"] as const;
type BoundaryMark = (typeof BOUNDARY_MARKS)[number];

/** Instructions are short, so a boundary after this length belongs to the input. */
const INSTRUCTION_CHARACTERS_MAX = 500;
/** Only this much of the text after each boundary is tested, so splitting takes linear time. */
const TESTED_CHARACTERS_MAX = 2_000;
/** How many characters at the end of the text are searched for a closing quote and the punctuation after it. */
const QUOTE_END_CHARACTERS_MAX = 20;
const FENCE = "```";
const BOUNDARY =
  /(?<colon>[:：](?=[\s"'“„«]|$))|(?<paragraph>\n[^\S\n]*\n)|(?<line>\n)|(?<sentence>[.?!](?=\s))|(?<quote>[^\S\n](?=["“„«]))/gu;
const CLAUSE_END = /[.?!:：](?:\s+|$)|\n+/u;
const QUOTE_START = /^(?:"""|["“”„«'])/u;
const QUOTE_END = /(?:"""|["“”»'])\s*[.!?]?$/u;
const WORD = /[\p{L}\p{N}][\p{L}\p{M}\p{N}'’-]*/gu;
const UNSPACED = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]/gu;
const UNSPACED_CHARACTERS_PER_WORD = 2;
const ENDS_SENTENCE = /[.!?…。！？]["'”»)]?$/u;
const OPENS_LOWER_CASE = /^[^\p{L}\p{N}]*\p{Ll}/u;
const ONE_QUESTION = /^[^.!…]*\?$/u;

/** Text with fewer words is a subject ("Summarise: quarterly sales"), not input. */
const ANNOUNCED_WORDS_MIN = 3;
const SENTENCE_WORDS_MIN = 5;
const PHRASE_WORDS_MIN = 8;
const LOWER_CASE_WORDS_MIN = 12;

/**
 * Splits a task's text into an instruction and its input: a fenced block, a JSON array of rows, a CSV table, or the
 * text after (or, rarely, before) a request to read it. When in doubt, the whole text is the instruction.
 */
export function splitTaskText(task: string): SplitTaskText {
  const whole = task.replaceAll(/\r\n?/g, "\n");
  return (
    splitAtFence(whole) ??
    splitAtTable(whole) ??
    splitAtBoundary(whole) ??
    splitBeforeRequest(whole) ?? { instruction: task, input: null }
  );
}

/** A fenced block. `from` is the line of the opening fence; `to` is the line after the closing fence. */
interface FencedBlock {
  readonly from: number;
  readonly to: number;
  /** The text before the opening fence and after the closing fence, on the same lines. */
  readonly before: string;
  readonly after: string;
  readonly language: string;
  readonly value: string;
}

/** Splits at fenced blocks. The input is the first table or, if there is none, the text of all blocks. */
function splitAtFence(task: string): SplitTaskText | null {
  const lines = task.split("\n");
  const blocks = findFencedBlocks(lines).map((block) => ({
    ...block,
    input: parseFencedBlock(block),
  }));
  if (blocks.length === 0) return null;
  const table = blocks.find(({ input }) => input.kind !== "text");
  const text = blocks.map(({ value }) => value).join("\n\n");
  const kept: string[] = [];
  let next = 0;
  for (const block of blocks) {
    const { from, to, before, after } = block;
    // An ignored block stays in the instruction.
    const isRead = table === undefined || block === table;
    const rest = isRead ? [before, after] : [lines.slice(from, to).join("\n")];
    const parts = [lines.slice(next, from).join("\n"), ...rest];
    kept.push(parts.filter((line) => line.trim() !== "").join("\n"));
    next = to;
  }
  const instruction = [...kept, ...lines.slice(next)].join("\n").trim();
  const input: TaskInput = table?.input ?? { kind: "text", value: text };
  return table === undefined || blocks.length === 1
    ? { instruction, input }
    : { instruction, input, ignoredBlockCount: blocks.length - 1 };
}

/**
 * Finds the non-empty fenced blocks. A block ends at the next line that begins with a fence, or at the end of the text.
 */
function findFencedBlocks(lines: readonly string[]): FencedBlock[] {
  const blocks: FencedBlock[] = [];
  for (let from = 0; from < lines.length; from += 1) {
    const line = lines[from] ?? "";
    const at = line.indexOf(FENCE);
    if (at === -1 || from === lines.length - 1) continue;
    let end = from + 1;
    while (end < lines.length && !(lines[end] ?? "").trimStart().startsWith(FENCE)) end += 1;
    const before = line.slice(0, at).trim();
    const indent = before === "" ? at : 0;
    const body = lines.slice(from + 1, end).map((one) => removeIndent(one, indent));
    const value = body.join("\n").trim();
    if (value !== "") {
      const language = line
        .slice(at + FENCE.length)
        .trim()
        .toLowerCase();
      const after = (lines[end] ?? "").trimStart().slice(FENCE.length).trim();
      blocks.push({ from, to: end + 1, before, after, language, value });
    }
    from = end;
  }
  return blocks;
}

/** Removes leading white space, up to `indent` characters. */
function removeIndent(line: string, indent: number): string {
  const first = line.search(/\S/u);
  return line.slice(Math.min(indent, first === -1 ? line.length : first));
}

function parseFencedBlock({ language, value }: Pick<FencedBlock, "language" | "value">): TaskInput {
  if (language === "csv" || language === "tsv") return { kind: "csv", value };
  const table = findJsonRows(value) ?? findCsvTable(value, 0);
  const isWhole = table !== null && table.end - table.start === value.length;
  return isWhole ? toTaskInput(table) : { kind: "text", value };
}

/** Splits at a table unless the text after the table is longer than the table. */
function splitAtTable(task: string): SplitTaskText | null {
  const table = findJsonRows(task) ?? findCsvTable(task, INSTRUCTION_CHARACTERS_MAX);
  if (table === null || table.start > INSTRUCTION_CHARACTERS_MAX) return null;
  const after = task.slice(table.end).trim();
  if (after.length > table.end - table.start) return null;
  const instruction = `${task.slice(0, table.start).trim()}\n${after}`.trim();
  return { instruction, input: toTaskInput(table) };
}

function toTaskInput(table: InlineTable): TaskInput {
  return table.kind === "csv"
    ? { kind: table.kind, value: table.value }
    : { kind: table.kind, value: table.value };
}

function splitAtBoundary(task: string): SplitTaskText | null {
  const text = task.trimEnd();
  const opening = text.slice(0, INSTRUCTION_CHARACTERS_MAX);
  const rest = text.slice(INSTRUCTION_CHARACTERS_MAX).trimStart();
  for (const match of opening.matchAll(BOUNDARY)) {
    const { index, groups = {} } = match;
    const mark = BOUNDARY_MARKS.find((name) => groups[name] !== undefined) ?? "quote";
    const end = index + match[0].length;
    const head = opening.slice(0, index).trim();
    const start = opening.slice(end).search(/\S/u);
    const tail = start === -1 ? rest : text.slice(end + start);
    const quoted = findQuotedContent(tail);
    const value = quoted ?? (mark === "quote" ? "" : tail);
    if (isInstructionBoundary(mark, head, value)) {
      const instruction = task.slice(0, mark === "sentence" ? end : index).trim();
      return { instruction, input: { kind: "text", value: value.trim() } };
    }
  }
  return null;
}

/** Whether `head` is an instruction about `tail`. A weaker mark needs a clearer request. */
function isInstructionBoundary(mark: BoundaryMark, head: string, tail: string): boolean {
  const clauses = head.split(CLAUSE_END).filter((clause) => clause.trim() !== "");
  const last = clauses.at(-1) ?? "";
  switch (mark) {
    case "sentence":
      return (
        isInputAnnouncement(last) &&
        !isInstructionContinuation(truncateForTest(tail)) &&
        isText(tail, SENTENCE_WORDS_MIN)
      );
    case "paragraph":
      return clauses.some((clause) => isRequestFor(clause, tail));
    case "colon":
      if (isInputAnnouncement(last)) return countWords(tail) >= ANNOUNCED_WORDS_MIN;
      if (isRequestWithoutSubject(last)) return isText(tail, SENTENCE_WORDS_MIN);
      return isDirection(last) && clauses.some(isInputAnnouncement)
        ? isText(tail, SENTENCE_WORDS_MIN)
        : isRequestFor(last, tail);
    case "line":
    case "quote":
      return isRequestFor(last, tail);
  }
}

function isRequestFor(clause: string, tail: string): boolean {
  if (isInstructionContinuation(truncateForTest(tail))) return false;
  if (isInputAnnouncement(clause)) return isText(tail, SENTENCE_WORDS_MIN);
  return isReadingRequest(clause) && isText(tail, PHRASE_WORDS_MIN);
}

/** Splits before the last line if that line is a request about the text above it. */
function splitBeforeRequest(task: string): SplitTaskText | null {
  const text = task.trim();
  const at = text.lastIndexOf("\n");
  if (at === -1 || text.length - at > INSTRUCTION_CHARACTERS_MAX) return null;
  const instruction = text.slice(at).trim();
  const value = removeQuotes(text.slice(0, at).trim());
  return isRequestAboutPrecedingText(instruction) && isText(value, PHRASE_WORDS_MIN)
    ? { instruction, input: { kind: "text", value } }
    : null;
}

/**
 * Whether text is input rather than a subject or a question: a sentence, or at least `phraseWordsMin` words. Text that
 * starts in lower case needs LOWER_CASE_WORDS_MIN words.
 */
function isText(text: string, phraseWordsMin: number): boolean {
  if (text.length <= TESTED_CHARACTERS_MAX && ONE_QUESTION.test(text)) return false;
  const words = countWords(text);
  if (OPENS_LOWER_CASE.test(truncateForTest(text))) return words >= LOWER_CASE_WORDS_MIN;
  const isSentence = ENDS_SENTENCE.test(text.slice(-QUOTE_END_CHARACTERS_MAX));
  return words >= phraseWordsMin || (words >= SENTENCE_WORDS_MIN && isSentence);
}

/** Counts the words in the first TESTED_CHARACTERS_MAX characters of the text. */
function countWords(text: string): number {
  const tested = truncateForTest(text);
  const unspaced = tested.match(UNSPACED)?.length ?? 0;
  const spaced = tested.replaceAll(UNSPACED, " ").match(WORD)?.length ?? 0;
  return spaced + Math.floor(unspaced / UNSPACED_CHARACTERS_PER_WORD);
}

function truncateForTest(text: string): string {
  return text.slice(0, TESTED_CHARACTERS_MAX);
}

function removeQuotes(text: string): string {
  return (findQuotedContent(text) ?? text).trim();
}

/** The content of text that is entirely in quotes, or null. Only the two ends of the text are tested. */
function findQuotedContent(text: string): string | null {
  const start = QUOTE_START.exec(truncateForTest(text))?.[0].length ?? 0;
  const end = QUOTE_END.exec(text.slice(-QUOTE_END_CHARACTERS_MAX))?.[0].length ?? 0;
  if (start === 0 || end === 0) return null;
  return text.length > start + end ? text.slice(start, -end) : null;
}
