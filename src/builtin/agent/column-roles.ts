import type { ColumnProfile, TableProfile } from "./result-schemas.ts";

/** A table's columns by their role in the analysis. Columns that the task mentions come first. */
export interface ColumnRoles {
  /** Numeric columns that measure something. */
  readonly measures: readonly ColumnProfile[];
  /** Text and boolean columns with few distinct values. */
  readonly groups: readonly ColumnProfile[];
  /** The column that orders the rows by time: a date column, or a numeric column with a name such as "year". */
  readonly order: ColumnProfile | null;
  /** Numeric columns that only identify rows. */
  readonly identifiers: readonly ColumnProfile[];
}

const TIME_COLUMN_NAME = /^(?:year|yr|quarter|month|week|day|date|time|timestamp|period)s?$/i;
const IDENTIFIER_NAME = /^(?:id|index|row|nr|no|#)\.?$|[\s_.-](?:id|nr|no)\.?$/i;
const CAMEL_CASE_IDENTIFIER_NAME = /[a-z](?:Id|ID)$/;
const UNIT_SUFFIX = /[([].*$/;

/** A line fits any two points, so fewer values show no trend. */
const ORDER_DISTINCT_MIN = 3;
const GROUPS_MIN = 2;
/** More groups cannot be compared at a glance. */
const GROUPS_MAX = 12;
const ROWS_PER_GROUP_MIN = 2;
const MENTION_CHARACTERS_MIN = 3;

export function classifyColumns({ columns }: TableProfile, task: string): ColumnRoles {
  const numbers = columns.filter(({ type, count }) => type === "number" && count > 0);
  const identifiers = numbers.filter(isIdentifier);
  const order =
    columns.find((column) => column.type === "date" && canOrderRows(column)) ??
    numbers.find((column) => TIME_COLUMN_NAME.test(column.name.trim()) && canOrderRows(column)) ??
    null;
  const measures = numbers.filter((column) => !identifiers.includes(column) && column !== order);
  const groups = columns.filter(isGroupColumn).toSorted((a, b) => a.missing - b.missing);
  return {
    measures: sortMentionedFirst(measures, task),
    groups: sortMentionedFirst(groups, task),
    order,
    identifiers,
  };
}

function isIdentifier({ name, distinct, count, min, max }: ColumnProfile): boolean {
  const isNamedSo =
    IDENTIFIER_NAME.test(name.trim()) || CAMEL_CASE_IDENTIFIER_NAME.test(name.trim());
  return isNamedSo && distinct === count && Number.isInteger(min) && Number.isInteger(max);
}

function canOrderRows({ distinct }: ColumnProfile): boolean {
  return distinct >= ORDER_DISTINCT_MIN;
}

function isGroupColumn({ type, distinct, count }: ColumnProfile): boolean {
  if (type !== "text" && type !== "boolean") return false;
  return distinct >= GROUPS_MIN && distinct <= GROUPS_MAX && distinct * ROWS_PER_GROUP_MIN <= count;
}

function sortMentionedFirst(columns: readonly ColumnProfile[], task: string): ColumnProfile[] {
  const rank = ({ name }: ColumnProfile) => (isMentionedInTask(name, task) ? 0 : 1);
  return columns.toSorted((a, b) => rank(a) - rank(b));
}

/** Whether the task mentions the column. For example, "body mass" refers to "Body Mass (g)". */
export function isMentionedInTask(name: string, task: string): boolean {
  const bare = name.toLowerCase().replace(UNIT_SUFFIX, "").replaceAll("_", " ").trim();
  return bare.length >= MENTION_CHARACTERS_MIN && task.toLowerCase().includes(bare);
}
