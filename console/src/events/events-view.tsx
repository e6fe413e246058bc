import { useInfiniteQuery } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { Pause, Play } from "lucide-react";
import { useMemo, useState } from "react";
import { curlFor } from "../api/curl.ts";
import { useShortcuts } from "../layout/shortcuts.ts";
import { Button } from "../ui/button.tsx";
import { EmptyState, ErrorPanel, Loading, ViewHeader } from "../ui/panels.tsx";
import { formatExactTime } from "../ui/relative-time.ts";
import { VirtualList } from "../ui/virtual-list.tsx";
import { EventFilterBar } from "./event-filter-bar.tsx";
import { EventRow } from "./event-row.tsx";
import { eventKey, newestFirst } from "./event-rows.ts";
import { matchesFilters, type EventFilters } from "./filters.ts";
import { storedEventsQuery } from "./queries.ts";
import { useLiveEvents } from "./use-live-events.ts";

const ROWS_MAX = 3_000;
const ROW_HEIGHT = 57;
const CREATE_COMMAND = curlFor("POST", "/agents/tasks", {
  task: "Summarise the text",
  context: { text: "…" },
});

export function EventsView() {
  const filters = useSearch({ from: "/shell/events" });
  const navigate = useNavigate();
  const [isHeld, setIsHeld] = useState(false);
  const [isPointerOver, setIsPointerOver] = useState(false);
  const live = useLiveEvents(isHeld || isPointerOver, ROWS_MAX);
  const [isWhole, setIsWhole] = useState(false);
  const stored = useInfiniteQuery(storedEventsQuery(filters, isWhole));
  const rows = useMemo(() => {
    const pages = stored.data?.pages ?? [];
    const arrived = live.events.filter((event) => matchesFilters(event, filters));
    return newestFirst(
      pages.flatMap(({ events }) => events),
      arrived,
      ROWS_MAX,
    );
  }, [stored.data, live.events, filters]);
  const toggle = (): void => setIsHeld(!isHeld);
  useShortcuts([{ keys: "p", label: isHeld ? "Resume the feed" : "Pause the feed", run: toggle }]);
  return (
    <>
      <ViewHeader title="Events">
        <p role="status" className="text-muted text-sm">
          {live.waiting > 0 &&
            `Paused: ${live.waiting} new ${live.waiting === 1 ? "event" : "events"}`}
        </p>
        <Button onClick={toggle}>
          {isHeld ? (
            <Play aria-hidden className="size-4" />
          ) : (
            <Pause aria-hidden className="size-4" />
          )}
          {isHeld ? "Resume" : "Pause"}
        </Button>
      </ViewHeader>
      <div className="grid gap-3">
        <EventFilterBar
          filters={filters}
          onChange={(search: EventFilters) => void navigate({ to: "/events", search })}
        />
        <StoredEvents
          filters={filters}
          isWhole={isWhole}
          onWhole={() => setIsWhole(true)}
          total={rows.length}
        />
        {rows.length > 0 && (
          <div
            onPointerEnter={({ pointerType }) => setIsPointerOver(pointerType === "mouse")}
            onPointerLeave={() => setIsPointerOver(false)}
          >
            <VirtualList
              label="Events, newest first"
              items={rows}
              keyOf={eventKey}
              estimatedHeight={ROW_HEIGHT}
            >
              {(event) => <EventRow event={event} />}
            </VirtualList>
          </div>
        )}
        {rows.length === 0 && stored.isSuccess && <NoEvents filters={filters} />}
      </div>
    </>
  );
}

/** Loads the stored events, and says which ones are missing from the list. */
function StoredEvents({
  filters,
  isWhole,
  onWhole,
  total,
}: {
  readonly filters: EventFilters;
  readonly isWhole: boolean;
  readonly onWhole: () => void;
  readonly total: number;
}) {
  const query = useInfiniteQuery(storedEventsQuery(filters, isWhole));
  if (query.isPending) return <Loading what="the stored events" />;
  if (query.data === undefined)
    return <ErrorPanel error={query.error} retry={() => void query.refetch()} />;
  const since = query.data.pages[0]?.since ?? null;
  const last = query.data.pages.at(-1);
  const newest = last?.events.at(-1);
  if (query.isFetchNextPageError)
    return <ErrorPanel error={query.error} retry={() => void query.fetchNextPage()} />;
  return (
    <>
      {typeof last?.truncatedBefore === "string" && (
        <p className="text-muted text-sm">
          The feed was full and dropped events before {formatExactTime(last.truncatedBefore)}.
        </p>
      )}
      {since !== null && (
        <p className="text-muted flex flex-wrap items-center gap-2 text-sm">
          Events since {formatExactTime(since)}.
          <Button onClick={onWhole}>Show all stored events</Button>
        </p>
      )}
      {query.hasNextPage && (
        <div className="border-warning/30 bg-warning-soft text-warning flex flex-wrap items-center gap-2 rounded-md border p-3">
          <p className="min-w-0 flex-1 basis-64">
            The feed is read oldest first. Stored events
            {newest !== undefined && ` after ${formatExactTime(newest.at)}`} are not loaded yet.
            {total >= ROWS_MAX && ` The list shows the newest ${ROWS_MAX.toLocaleString("en")}.`}
          </p>
          <Button disabled={query.isFetchingNextPage} onClick={() => void query.fetchNextPage()}>
            {query.isFetchingNextPage ? "Loading …" : "Show more"}
          </Button>
        </div>
      )}
    </>
  );
}

function NoEvents({ filters }: { readonly filters: EventFilters }) {
  const isFiltered = Object.keys(filters).length > 0;
  return (
    <EmptyState
      title={isFiltered ? "No events match the filters" : "No events yet"}
      {...(!isFiltered && { command: CREATE_COMMAND })}
    >
      {isFiltered ? "New events that match appear here." : "New events appear here."}
    </EmptyState>
  );
}
