import type { Entry, Work } from "../results.ts";

/** Operations that share a section of the results page. */
export interface Group {
  readonly id: string;
  readonly title: string;
  readonly works: readonly Work[];
}

/** One kind of list, measured with directories of different sizes. */
export interface ListKind {
  readonly title: string;
  readonly bySize: ReadonlyMap<number, Work>;
}

export interface Lists {
  readonly kinds: readonly ListKind[];
  /** The directory sizes in rows, in ascending order. */
  readonly sizes: readonly number[];
  /** Lists whose id does not contain a size. */
  readonly others: readonly Work[];
}

export const LISTS = "lists";

/** The report's groups, in page order. An operation belongs to the group whose `begins` matches the operation's id. */
const GROUPS = [
  { id: "create", title: "Create a task", begins: /^create\b/ },
  { id: "read", title: "Read a task", begins: /^read\b/ },
  { id: "life", title: "Full task lifecycle", begins: /^(?:life|lives)\b/ },
  { id: LISTS, title: "List tasks", begins: /^lists?\b/ },
  { id: "invoke", title: "Invoke a tool", begins: /^invoke\b/ },
  { id: "authenticate", title: "Authenticate", begins: /^auth(?:enticate)?\b/ },
] as const;
const OTHER = { id: "other", title: "Other measurements" };

/** Matches ids such as `list-status-first-1000000`. */
const SIZED_LIST = /^list-(.+)-(\d+)$/;

/** Assigns every operation to a group, and omits empty groups. */
export function groupsOf(works: readonly Work[]): Group[] {
  const byGroup = Map.groupBy(
    works,
    ({ id }) => GROUPS.find(({ begins }) => begins.test(id))?.id ?? OTHER.id,
  );
  return [...GROUPS, OTHER].flatMap(({ id, title }) => {
    const found = byGroup.get(id);
    return found === undefined ? [] : [{ id, title, works: found }];
  });
}

/** Arranges lists by the kind and size in their ids. */
export function listsOf(works: readonly Work[]): Lists {
  const kinds = new Map<string, { title: string; bySize: Map<number, Work> }>();
  const others: Work[] = [];
  const sizes = new Set<number>();
  for (const work of works) {
    const [, name, digits] = SIZED_LIST.exec(work.id) ?? [];
    if (name === undefined) {
      others.push(work);
      continue;
    }
    const size = Number(digits);
    const kind = kinds.get(name) ?? { title: kindTitle(work.title, size), bySize: new Map() };
    kind.bySize.set(size, work);
    kinds.set(name, kind);
    sizes.add(size);
  }
  const ascending = [...sizes].toSorted((one, other) => one - other);
  return { kinds: [...kinds.values()], sizes: ascending, others };
}

/** Removes "List" and the size from a title: "List …, of 1,000,000 rows" becomes "…". */
function kindTitle(title: string, size: number): string {
  const digits = `(?:${size}|${size.toLocaleString("en-US")})`;
  const phrase = `[\\s,;:(–-]*(?:\\b(?:of|over|at|in|from|with|among)\\s+)?\\b${digits}\\b(?:\\s+(?:rows|tasks))?\\)?`;
  return (
    title
      .replace(new RegExp(phrase), "")
      .replace(/^List /, "")
      .trim() || title
  );
}

/** All contestants of these operations, in the order in which they first appear. */
export function contestantsIn(works: readonly Work[]): string[] {
  return [...new Set(works.flatMap(({ entries }) => entries.map(({ contestant }) => contestant)))];
}

export function entryOf(work: Work | undefined, contestant: string): Entry | null {
  return work?.entries.find((entry) => entry.contestant === contestant) ?? null;
}
