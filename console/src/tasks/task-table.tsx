import { useInfiniteQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useWindowVirtualizer } from "@tanstack/react-virtual";
import { useEffect, useEffectEvent, useRef, useState } from "react";
import { curlFor } from "../api/curl.ts";
import { useHasScope } from "../session/identity.ts";
import { classNames } from "../ui/class-names.ts";
import { Button } from "../ui/button.tsx";
import { EmptyState, ErrorPanel, Loading } from "../ui/panels.tsx";
import { Time } from "../ui/time.tsx";
import { useChanged } from "../ui/use-changed.ts";
import type { Pages } from "../ui/virtual-list.tsx";
import { BulkActions } from "./bulk-actions.tsx";
import { PRIORITY_LABELS, type TaskFilters, type TitleSort } from "./filters.ts";
import type { LiveRow } from "./live-rows.ts";
import { tasksQuery, type ListedTask } from "./queries.ts";
import { StatusBadge } from "./status-badge.tsx";
import { OrderField, TableHead } from "./task-table-head.tsx";
import { formatCost } from "./cost.ts";
import { Deadline, Progress } from "./task-fields.tsx";
import { titleOf } from "./task-title.ts";
import { UpdateButton } from "./update-button.tsx";
import { useLiveRows } from "./use-live-rows.ts";
import { describeWaiting, summariseWaiting } from "./waiting.ts";

const ROW_HEIGHT = 45;
const ROWS_AHEAD = 12;

const idOf = ({ taskId }: ListedTask): string => taskId;

/** The tasks as a table: paged, virtualised and live. Rows do not move until the person updates the list. */
export function TaskTable({
  filters,
  onChange,
}: {
  readonly filters: TaskFilters;
  readonly onChange: (next: TaskFilters) => void;
}) {
  const query = useInfiniteQuery(tasksQuery(filters));
  const fetched = query.data?.pages.flatMap(({ tasks }) => tasks) ?? [];
  const live = useLiveRows(JSON.stringify(filters), fetched, idOf, query);
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set());
  const mayWrite = useHasScope("tasks:write");

  if (query.isPending) return <Loading what="the tasks" />;
  if (query.data === undefined && query.error)
    return <ErrorPanel error={query.error} retry={() => void query.refetch()} />;
  if (live.rows.length === 0)
    return <NoTasks isFiltered={Object.keys(filters).some((name) => name !== "sort")} />;

  const total = query.data?.pages[0];
  function select(ids: readonly string[], isSelected: boolean): void {
    const next = new Set(selected);
    for (const id of ids)
      if (isSelected) next.add(id);
      else next.delete(id);
    setSelected(next);
  }
  function sortBy(sort: TitleSort | undefined): void {
    const { sort: _sort, ...rest } = filters;
    onChange(sort === undefined ? rest : { ...rest, sort });
  }
  const chosen = live.rows.filter(({ item }) => selected.has(item.taskId));

  return (
    <>
      {query.error && !query.isFetchNextPageError && (
        <ErrorPanel error={query.error} retry={() => void query.refetch()} />
      )}
      <div className="flex min-h-9 flex-wrap items-center gap-3">
        <p className="text-muted text-sm">
          {total?.totalExact === false ? "More than " : ""}
          {total?.total.toLocaleString("en")} {total?.total === 1 ? "task" : "tasks"}
        </p>
        <UpdateButton added={live.added} gone={live.gone} onClick={live.update} />
        <OrderField sort={filters.sort} onSort={sortBy} />
      </div>
      {chosen.length > 0 && (
        <BulkActions
          tasks={chosen.map(({ item }) => item)}
          onClear={() => setSelected(new Set())}
        />
      )}
      <Rows
        rows={live.rows}
        isSelectable={mayWrite}
        sort={filters.sort}
        onSort={sortBy}
        selected={selected}
        onSelect={select}
        hasMore={query.hasNextPage && !query.isFetchingNextPage && !query.isFetchNextPageError}
        onEnd={() => void query.fetchNextPage()}
      />
      <EndOfPages pages={query} />
    </>
  );
}

/** Loads more tasks if scrolling does not, for example because a request failed. */
function EndOfPages({ pages }: { readonly pages: Pages }) {
  if (pages.isFetchingNextPage) return <Loading what="more tasks" />;
  if (pages.isFetchNextPageError && pages.error !== null)
    return <ErrorPanel error={pages.error} retry={() => void pages.fetchNextPage()} />;
  if (!pages.hasNextPage) return null;
  return (
    <Button kind="quiet" onClick={() => void pages.fetchNextPage()}>
      Show more
    </Button>
  );
}

function NoTasks({ isFiltered }: { readonly isFiltered: boolean }) {
  if (isFiltered)
    return <EmptyState title="No tasks match the filters">Change or clear the filters.</EmptyState>;
  const command = curlFor("POST", "/agents/tasks", {
    task: "Summarise the sales",
    context: { csv: "day,sold\n1,10\n2,14" },
    deliverables: ["report"],
  });
  return (
    <EmptyState title="No tasks yet" command={command}>
      Choose “Create a task”, or use the API:
    </EmptyState>
  );
}

interface RowsProps {
  readonly rows: readonly LiveRow<ListedTask>[];
  readonly isSelectable: boolean;
  readonly sort: TitleSort | undefined;
  readonly onSort: (sort: TitleSort | undefined) => void;
  readonly selected: ReadonlySet<string>;
  readonly onSelect: (ids: readonly string[], isSelected: boolean) => void;
  readonly hasMore: boolean;
  readonly onEnd: () => void;
}

function Rows({ rows, isSelectable, sort, onSort, selected, onSelect, hasMore, onEnd }: RowsProps) {
  const ref = useRef<HTMLTableElement>(null);
  const virtualizer = useWindowVirtualizer({
    count: rows.length,
    estimateSize: () => ROW_HEIGHT,
    overscan: ROWS_AHEAD,
    scrollMargin: ref.current?.offsetTop ?? 0,
    getItemKey: (index) => rows[index]?.item.taskId ?? index,
  });
  const items = virtualizer.getVirtualItems();
  const lastIndex = items.at(-1)?.index ?? 0;
  const isAtEnd = lastIndex >= rows.length - 1;
  const loadMore = useEffectEvent(() => {
    if (hasMore) onEnd();
  });
  // Depends on neither the page nor its error, because a refresh clears the error and would repeat a request that fails.
  useEffect(() => {
    if (isAtEnd) loadMore();
  }, [isAtEnd, rows.length]);

  const before = (items[0]?.start ?? 0) - virtualizer.options.scrollMargin;
  const after =
    virtualizer.getTotalSize() - ((items.at(-1)?.end ?? 0) - virtualizer.options.scrollMargin);
  return (
    <table
      ref={ref}
      aria-rowcount={rows.length}
      className="border-border bg-surface w-full table-fixed border-collapse rounded-lg border text-left"
    >
      <TableHead
        selection={
          isSelectable
            ? {
                isAll: rows.every(({ item }) => selected.has(item.taskId)),
                onSelect: (isSelected) =>
                  onSelect(
                    rows.map(({ item }) => item.taskId),
                    isSelected,
                  ),
              }
            : null
        }
        sort={sort}
        onSort={onSort}
      />
      <tbody>
        {before > 0 && <Spacer height={before} />}
        {items.map(({ index, key }) => {
          const row = rows[index];
          if (row === undefined) return null;
          return (
            <Row
              key={key}
              index={index}
              row={row}
              measure={virtualizer.measureElement}
              isSelected={selected.has(row.item.taskId)}
              onSelect={
                isSelectable ? (isSelected) => onSelect([row.item.taskId], isSelected) : undefined
              }
            />
          );
        })}
        {after > 0 && <Spacer height={after} />}
      </tbody>
    </table>
  );
}

function Spacer({ height }: { readonly height: number }) {
  return (
    <tr aria-hidden>
      <td style={{ height }} />
    </tr>
  );
}

const CELL = "min-w-0 truncate md:table-cell md:px-3 md:py-2";

function Row({
  index,
  row: { item: task, isGone },
  measure,
  isSelected,
  onSelect,
}: {
  readonly index: number;
  readonly row: LiveRow<ListedTask>;
  readonly measure: (element: Element | null) => void;
  readonly isSelected: boolean;
  readonly onSelect: ((isSelected: boolean) => void) | undefined;
}) {
  const hasChanged = useChanged(`${task.status} ${task.progress ?? ""}`);
  const title = titleOf(task);
  const waiting = summariseWaiting(task);
  return (
    <tr
      ref={measure}
      data-index={index}
      aria-rowindex={index + 1}
      className={classNames(
        "border-border hover:bg-sunken/60 flex flex-wrap items-center gap-x-3 gap-y-1 border-b p-3 md:table-row md:p-0",
        hasChanged && "animate-changed",
        isGone && "opacity-60",
      )}
    >
      {onSelect !== undefined && (
        <td className="md:table-cell md:px-2">
          <label className="size-target grid place-items-center">
            <input
              type="checkbox"
              aria-label={`Select ${title}`}
              className="accent-accent size-4"
              checked={isSelected}
              onChange={(event) => onSelect(event.target.checked)}
            />
          </label>
        </td>
      )}
      <td className={classNames(CELL, "w-[calc(100%-2.5rem)] md:w-auto")}>
        <Link
          to="/tasks/$taskId"
          params={{ taskId: task.taskId }}
          title={title}
          className="hover:text-accent min-h-target min-w-target line-clamp-2 font-medium break-words whitespace-normal hover:underline"
        >
          <bdi>{title}</bdi>
          {task.priority !== "medium" && (
            <span className="text-muted ml-1 text-sm font-normal">
              {` ${PRIORITY_LABELS[task.priority]}`}
            </span>
          )}
        </Link>
      </td>
      <td className={CELL}>
        <StatusBadge status={task.status} />
        {waiting !== null && (
          <p
            className="text-muted line-clamp-2 text-sm break-words whitespace-normal"
            title={describeWaiting(task) ?? undefined}
          >
            <bdi>{waiting}</bdi>
          </p>
        )}
      </td>
      <td className={classNames(CELL, "whitespace-normal")} title={task.agentName}>
        {task.agentName !== undefined && (
          <bdi className="line-clamp-2 break-words">{task.agentName}</bdi>
        )}
      </td>
      <td className={CELL}>
        <Progress task={task} />
      </td>
      <td className={classNames(CELL, "whitespace-normal")}>
        <Deadline task={task} />
      </td>
      <td className={classNames(CELL, "tabular-nums md:text-right")}>
        {task.spend !== undefined && formatCost(task.spend.cost)}
      </td>
      <td className={classNames(CELL, "text-muted text-sm md:text-right")}>
        <Time at={task.createdAt} />
      </td>
    </tr>
  );
}
