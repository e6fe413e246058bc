import type { TableFindings, TextFindings } from "../findings.ts";
import type { Column, Grouping } from "../shapes.ts";
import { capitalised, counted, label } from "../wording.ts";
import { bullets, plain, quotation, table, type Cell } from "./markdown.ts";
import { section, type Section } from "./section.ts";

const PAIRS_MAX = 10;

/** What the tools found in one table, as tables. */
export function tableSection(findings: TableFindings): Section[] {
  const { source, profile, pairs, groupings, fences } = findings;
  const found = fences.filter(({ count }) => count > 0);
  return section(capitalised(`the data: ${source}`), [
    profile === null ? "" : sizeLine(findings),
    profile === null ? "" : table(COLUMN_HEADER, profile.columns.map(columnRow)),
    pairs.length === 0 ? "" : "**Correlations** (Pearson)",
    pairs.length === 0
      ? ""
      : table(
          ["Column", "Column", "r", "n"],
          pairs.slice(0, PAIRS_MAX).map(({ x, y, r, n }) => [label(x), label(y), r, n]),
        ),
    ...groupTables(groupings),
    found.length === 0 ? "" : "**Outliers** (beyond 1.5 interquartile ranges of the quartiles)",
    found.length === 0
      ? ""
      : table(
          ["Column", "Below", "Above", "Outliers"],
          found.map(({ column, lower, upper, count }) => [label(column), lower, upper, count]),
        ),
    ...(profile === null || profile.notes.length === 0
      ? []
      : ["**Notes on reading the table**", bullets(profile.notes)]),
  ]);
}

/** What the tools found in one text. */
export function textSection({ source, readability, keywords, extract }: TextFindings): Section[] {
  const terms = keywords?.keywords ?? [];
  return section(capitalised(`the text: ${source}`), [
    readability === null
      ? ""
      : table(
          ["Words", "Sentences", "Flesch reading ease", "Grade", "Level", "Reading time"],
          [
            [
              readability.words,
              readability.sentences,
              readability.fleschReadingEase,
              readability.fleschKincaidGrade,
              readability.level,
              readability.readingTime,
            ],
          ],
        ),
    terms.length === 0 ? "" : "**Keywords**",
    terms.length === 0
      ? ""
      : table(
          ["Keyword", "Count"],
          terms.map(({ term, count }) => [term, count]),
        ),
    extract === null ? "" : "**Central sentences**, word for word",
    ...(extract?.sentences ?? []).map(({ text }) => quotation(text)),
  ]);
}

function sizeLine({ profile }: TableFindings): string {
  const { rows = 0, columns = [], unread = 0 } = profile ?? {};
  const left = unread === 0 ? "" : `, ${columns.length} of them shown`;
  return `${counted(rows, "row")}, ${counted(columns.length + unread, "column")}${left}.`;
}

const COLUMN_HEADER = [
  "Column",
  "Type",
  "Present",
  "Missing",
  "Distinct",
  "Mean",
  "SD",
  "Min",
  "Median",
  "Max",
];

function columnRow(column: Column): Cell[] {
  const { name, type, count, missing, distinct } = column;
  const { mean, standardDeviation, min, median, max } = column;
  return [label(name), type, count, missing, distinct, mean, standardDeviation, min, median, max];
}

/** One table for each column that groups, with the means of all measures side by side. */
function groupTables(groupings: readonly Grouping[]): string[] {
  const byColumn = Map.groupBy(groupings, ({ groupBy }) => groupBy);
  return Array.from(byColumn).flatMap(([groupBy, all]) => {
    const values = new Set(all.flatMap(({ groups }) => groups.map(({ group }) => group)));
    const rows = Array.from(values, (value): Cell[] => [
      label(value),
      ...all.map(({ groups }) => {
        const group = groups.find((one) => one.group === value);
        return group === undefined || group.mean === null ? null : `${group.mean} (${group.count})`;
      }),
    ]);
    const header = [label(groupBy), ...all.map(({ column }) => label(column))];
    return [`**Means by ${plain(label(groupBy))}** (rows in brackets)`, table(header, rows)];
  });
}
