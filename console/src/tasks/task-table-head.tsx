import { ArrowDown, ArrowUp } from "lucide-react";
import { nextTitleSort, TITLE_SORTS, type TitleSort } from "./filters.ts";

const SORT_BUTTON = "hover:text-text min-h-target inline-flex items-center gap-1";

/** The headers of the task table. `selection`: null if the person cannot select tasks. */
export function TableHead({
  selection,
  sort,
  onSort,
}: {
  readonly selection: {
    readonly isAll: boolean;
    readonly onSelect: (isSelected: boolean) => void;
  } | null;
  readonly sort: TitleSort | undefined;
  readonly onSort: (sort: TitleSort | undefined) => void;
}) {
  return (
    <thead className="text-muted border-border hidden border-b text-sm md:table-header-group">
      <tr>
        {selection !== null && (
          <th scope="col" className="w-10 px-3">
            <input
              type="checkbox"
              aria-label="Select all tasks in the list"
              className="accent-accent size-4 align-middle"
              checked={selection.isAll}
              onChange={(event) => selection.onSelect(event.target.checked)}
            />
          </th>
        )}
        <th
          scope="col"
          aria-sort={sort === undefined ? undefined : sort === "title" ? "ascending" : "descending"}
          className="px-3 py-2 font-medium"
        >
          <button
            type="button"
            className={SORT_BUTTON}
            title="Sort by title"
            onClick={() => onSort(nextTitleSort(sort))}
          >
            Task
            {sort === "title" && <ArrowUp aria-hidden className="size-4" />}
            {sort === "-title" && <ArrowDown aria-hidden className="size-4" />}
          </button>
        </th>
        <th scope="col" className="w-56 px-3 py-2 font-medium">
          Status
        </th>
        <th scope="col" className="w-36 px-3 py-2 font-medium">
          Agent
        </th>
        <th scope="col" className="w-28 px-3 py-2 font-medium">
          Progress
        </th>
        <th scope="col" className="w-36 px-3 py-2 font-medium">
          Deadline
        </th>
        <th scope="col" className="w-20 px-3 py-2 text-right font-medium">
          Cost
        </th>
        <th
          scope="col"
          aria-sort={sort === undefined ? "descending" : undefined}
          className="w-28 px-3 py-2 text-right font-medium"
        >
          <button
            type="button"
            className={SORT_BUTTON}
            title="Show the newest tasks first"
            onClick={() => onSort(undefined)}
          >
            Created
            {sort === undefined && <ArrowDown aria-hidden className="size-4" />}
          </button>
        </th>
      </tr>
    </thead>
  );
}

/** Chooses the order of the table on narrow pages, where the table's head with its sort buttons is hidden. */
export function OrderField({
  sort,
  onSort,
}: {
  readonly sort: TitleSort | undefined;
  readonly onSort: (sort: TitleSort | undefined) => void;
}) {
  return (
    <select
      aria-label="Order"
      className="border-border-strong bg-surface ml-auto min-h-8 rounded-md border px-2 md:hidden"
      value={sort ?? ""}
      onChange={({ target }) => onSort(TITLE_SORTS.find((one) => one === target.value))}
    >
      <option value="">Newest first</option>
      <option value="title">Title, A to Z</option>
      <option value="-title">Title, Z to A</option>
    </select>
  );
}
