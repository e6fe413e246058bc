import { infiniteQueryOptions } from "@tanstack/react-query";
import { api, dataOf } from "../api/client.ts";
import type { FeedEvent } from "../api/live-feed.ts";
import type { EventFilters } from "./filters.ts";

const REQUEST_SIZE = 100;
/** The feed can only be read oldest first, so one page combines several requests. */
const REQUESTS_PER_PAGE = 5;
const RECENT_MINUTES = [1, 10, 60, 6 * 60, 24 * 60];

interface StoredPage {
  readonly events: readonly FeedEvent[];
  readonly nextCursor: string;
  readonly more: boolean;
  readonly truncatedBefore: string | null;
  /** The page starts at this time; null for the oldest stored event or a position. */
  readonly since: string | null;
}

type Start = { readonly cursor: string } | { readonly since: string } | null;

/** The start of the shortest period up to now with enough events for a page; null if even all events are not enough. */
async function findRecentStart(filters: EventFilters, signal: AbortSignal): Promise<string | null> {
  const now = Date.now();
  for (const minutes of RECENT_MINUTES) {
    const since = new Date(now - minutes * 60_000).toISOString();
    const query = { ...filters, since, limit: REQUEST_SIZE };
    const page = await dataOf(api.GET("/agents/events", { params: { query }, signal }));
    if (page.more || page.events.length === REQUEST_SIZE) return since;
  }
  return null;
}

/** The recent or all events that the feed has stored, oldest first. */
export function storedEventsQuery(filters: EventFilters, isWhole: boolean) {
  return infiniteQueryOptions({
    queryKey: ["events", filters, isWhole],
    queryFn: async ({ pageParam, signal }) => {
      if (pageParam !== null) return readPage(filters, { cursor: pageParam }, signal);
      const since = isWhole ? null : await findRecentStart(filters, signal);
      return readPage(filters, since === null ? null : { since }, signal);
    },
    initialPageParam: null as string | null,
    getNextPageParam: ({ more, nextCursor }) => (more ? nextCursor : undefined),
    // Newer events arrive live.
    staleTime: Infinity,
    gcTime: 0,
  });
}

async function readPage(
  filters: EventFilters,
  start: Start,
  signal: AbortSignal,
): Promise<StoredPage> {
  const events: FeedEvent[] = [];
  let from: Start = start;
  let truncatedBefore: string | null = null;
  for (let request = 1; ; request += 1) {
    const query = { ...filters, ...from, limit: REQUEST_SIZE };
    const page = await dataOf(api.GET("/agents/events", { params: { query }, signal }));
    events.push(...page.events);
    from = { cursor: page.nextCursor };
    truncatedBefore = page.truncatedBefore ?? truncatedBefore;
    if (!page.more || request === REQUESTS_PER_PAGE)
      return {
        events,
        nextCursor: page.nextCursor,
        more: page.more,
        truncatedBefore,
        since: start !== null && "since" in start ? start.since : null,
      };
  }
}
