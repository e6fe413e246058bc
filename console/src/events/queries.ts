import { infiniteQueryOptions } from "@tanstack/react-query";
import { api, dataOf } from "../api/client.ts";
import type { FeedEvent } from "../api/live-feed.ts";
import type { EventFilters } from "./filters.ts";

const REQUEST_SIZE = 100;
/** The feed can only be read oldest first, so one page combines several requests. */
const REQUESTS_PER_PAGE = 5;

interface StoredPage {
  readonly events: readonly FeedEvent[];
  readonly nextCursor: string;
  readonly more: boolean;
  readonly truncatedBefore: string | null;
}

/** The events that the feed has stored, oldest first. */
export function storedEventsQuery(filters: EventFilters) {
  return infiniteQueryOptions({
    queryKey: ["events", filters],
    queryFn: ({ pageParam, signal }) => readPage(filters, pageParam, signal),
    initialPageParam: null as string | null,
    getNextPageParam: ({ more, nextCursor }) => (more ? nextCursor : undefined),
    // Newer events arrive live.
    staleTime: Infinity,
    gcTime: 0,
  });
}

async function readPage(
  filters: EventFilters,
  start: string | null,
  signal: AbortSignal,
): Promise<StoredPage> {
  const events: FeedEvent[] = [];
  let cursor = start;
  let truncatedBefore: string | null = null;
  for (let request = 1; ; request += 1) {
    const query = { ...filters, ...(cursor !== null && { cursor }), limit: REQUEST_SIZE };
    const page = await dataOf(api.GET("/agents/events", { params: { query }, signal }));
    events.push(...page.events);
    cursor = page.nextCursor;
    truncatedBefore = page.truncatedBefore ?? truncatedBefore;
    if (!page.more || request === REQUESTS_PER_PAGE)
      return { events, nextCursor: page.nextCursor, more: page.more, truncatedBefore };
  }
}
