import type { Entry, Figures, Work } from "../results.ts";
import { counted, measured, NOTHING, whole } from "./digits.ts";
import {
  contestantsIn,
  entryOf,
  LISTS,
  listsOf,
  type Group,
  type ListKind,
  type Lists,
} from "./groups.ts";
import { figures, oneLine, table, words } from "./table.ts";

/** The section of a group, with all measurements and counts of its operations. */
export function groupSection(group: Group): string {
  const parts =
    group.id === LISTS ? listParts(group) : [rounds(group.works), worksTable(group.works)];
  return [`## ${group.title}`, ...subject(group), ...parts].join("\n\n");
}

/** The title of a group's only operation, because the table of a single operation has no column for titles. */
function subject({ title, works }: Group): string[] {
  const [work] = works;
  const isInHeading = works.length !== 1 || work === undefined || work.title === title;
  return isInHeading ? [] : [`${oneLine(work.title)}.`];
}

function worksTable(works: readonly Work[]): string {
  return figuresTable(
    "operation",
    works.map((work) => [work.title, work]),
  );
}

/** Tables with the latency and throughput of lists for all sizes, and all measurements for the largest size. */
function listParts({ works }: Group): string[] {
  const lists = listsOf(works);
  const { kinds, sizes, others } = lists;
  const parts = [rounds(works)];
  const largest = sizes.at(-1);
  if (largest !== undefined) {
    parts.push(
      "p50 / p99 in milliseconds, by the number of tasks in the directory:",
      sizesTable(lists, ({ p50Ms, p99Ms }) => `${measured(p50Ms)} / ${measured(p99Ms)}`),
      "Requests per second, with the ratio to the baseline in parentheses:",
      sizesTable(lists, ({ perSecond, ratio }) =>
        ratio === null ? measured(perSecond) : `${measured(perSecond)} (${measured(ratio.median)})`,
      ),
      `All figures for ${whole(largest)} tasks:`,
      figuresTable(
        "list",
        kinds.flatMap((kind) => titled(kind, largest)),
      ),
    );
  }
  if (others.length > 0) parts.push(worksTable(others));
  return parts;
}

function titled({ title, bySize }: ListKind, size: number): [string, Work][] {
  const work = bySize.get(size);
  return work === undefined ? [] : [[title, work]];
}

function sizesTable({ kinds, sizes }: Lists, format: (given: Figures) => string): string {
  const rows = kinds.flatMap(({ title, bySize }) =>
    contestantsIn([...bySize.values()]).map((contestant) => [
      title,
      contestant,
      ...sizes.map((size) => {
        const entry = entryOf(bySize.get(size), contestant);
        return entry === null ? NOTHING : format(entry.figures);
      }),
    ]),
  );
  const heads = sizes.map((size) => figures(whole(size)));
  return table([words("list"), words("contestant"), ...heads], rows);
}

/** The table has a column for the names of the operations only if there are several. */
function figuresTable(head: string, works: readonly (readonly [string, Work])[]): string {
  const units = new Set(works.map(([, { unit }]) => unit));
  const [unit = "request"] = units;
  const each = unit === "life" ? "lifecycle" : unit;
  const isSingle = works.length === 1;
  const columns = [
    ...(isSingle ? [] : [words(head)]),
    words("contestant"),
    figures(units.size === 1 ? `${plural(unit)}/s` : "per second"),
    figures("ratio to baseline (min..max)"),
    figures("p50, ms"),
    figures("p99, ms"),
    figures(units.size === 1 ? `CPU, ms/${each}` : "CPU, ms"),
    figures("rows written"),
    figures("object requests"),
    figures("D1 queries"),
  ];
  const rows = works.flatMap(([title, work]) =>
    work.entries.map((entry) => [...(isSingle ? [] : [title]), ...cells(work, entry)]),
  );
  return table(columns, rows);
}

function cells({ reference }: Work, { contestant, figures: given, counts }: Entry): string[] {
  return [
    contestant,
    measured(given.perSecond),
    contestant === reference ? "1" : ratioText(given.ratio),
    measured(given.p50Ms),
    measured(given.p99Ms),
    measured(given.processorMs),
    counted(counts?.rowsWritten ?? null),
    counted(counts?.objectRequests ?? null),
    counted(counts?.d1Queries ?? null),
  ];
}

function ratioText(ratio: Figures["ratio"]): string {
  if (ratio === null) return NOTHING;
  return `${measured(ratio.median)} (${measured(ratio.least)}..${measured(ratio.most)})`;
}

/** States the number of rounds, and what the ratios are relative to. */
function rounds(works: readonly Work[]): string {
  const groups = Map.groupBy(works, (work) => work.rounds);
  const counts = [...groups].map(([count, same]) =>
    groups.size === 1 ? `${count}` : `${count} (${same.map(({ title }) => title).join("; ")})`,
  );
  const references = [...new Set(works.flatMap(({ reference }) => reference ?? []))];
  const limits =
    references.length === 0 ? "" : ` Ratios are relative to the ${references.join(" or ")}.`;
  return `Rounds: ${counts.join(", ")}.${limits}`;
}

function plural(unit: Work["unit"]): string {
  return unit === "life" ? "lifecycles" : "requests";
}
