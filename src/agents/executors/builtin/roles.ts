import type { Column, Profile } from "./shapes.ts";

/** What the columns of a table are to an analysis; what the task's own words name comes first. */
export interface Roles {
  /** Number columns that measure something. */
  readonly measures: readonly Column[];
  /** Texts and booleans with few values, which split the rows into groups. */
  readonly groups: readonly Column[];
  /** What the rows follow in time: a date column, or a number called year, month or the like. */
  readonly order: Column | null;
  /** Number columns that only tell rows apart. */
  readonly identifiers: readonly Column[];
}

const ORDER = /^(?:year|yr|quarter|month|week|day|date|time|timestamp|period)s?$/i;
const IDENTIFIER = /^(?:id|index|row|nr|no|#)\.?$|[\s_.-](?:id|nr|no)\.?$/i;
const CAMEL_IDENTIFIER = /[a-z](?:Id|ID)$/;
const UNIT = /[([].*$/;

/** Two points fit any line. */
const ORDER_DISTINCT_MIN = 3;
const GROUPS_MIN = 2;
/** More groups are neither compared at a glance nor told in a line. */
const GROUPS_MAX = 12;
const ROWS_PER_GROUP_MIN = 2;
const MENTION_CHARACTERS_MIN = 3;

/** The roles that the columns of a profile play for a task told in the words of `task`. */
export function rolesOf({ columns }: Profile, task: string): Roles {
  const numbers = columns.filter(({ type, count }) => type === "number" && count > 0);
  const identifiers = numbers.filter(isIdentifier);
  const order =
    columns.find((column) => column.type === "date" && isOrdering(column)) ??
    numbers.find((column) => ORDER.test(column.name.trim()) && isOrdering(column)) ??
    null;
  const measures = numbers.filter((column) => !identifiers.includes(column) && column !== order);
  const groups = columns.filter(isGroup).toSorted((a, b) => a.missing - b.missing);
  return {
    measures: mentionedFirst(measures, task),
    groups: mentionedFirst(groups, task),
    order,
    identifiers,
  };
}

function isIdentifier({ name, distinct, count, min, max }: Column): boolean {
  const isNamedSo = IDENTIFIER.test(name.trim()) || CAMEL_IDENTIFIER.test(name.trim());
  return isNamedSo && distinct === count && Number.isInteger(min) && Number.isInteger(max);
}

function isOrdering({ distinct }: Column): boolean {
  return distinct >= ORDER_DISTINCT_MIN;
}

function isGroup({ type, distinct, count }: Column): boolean {
  if (type !== "text" && type !== "boolean") return false;
  return distinct >= GROUPS_MIN && distinct <= GROUPS_MAX && distinct * ROWS_PER_GROUP_MIN <= count;
}

function mentionedFirst(columns: readonly Column[], task: string): Column[] {
  const rank = ({ name }: Column) => (isMentioned(name, task) ? 0 : 1);
  return columns.toSorted((a, b) => rank(a) - rank(b));
}

/** Whether the task's words name the column: "body mass" means "Body Mass (g)". */
export function isMentioned(name: string, task: string): boolean {
  const bare = name.toLowerCase().replace(UNIT, "").replaceAll("_", " ").trim();
  return bare.length >= MENTION_CHARACTERS_MIN && task.toLowerCase().includes(bare);
}
