export * from "../../../src/events/limits.ts";

// Small enough to be reached in one run.
export const DELIVERIES_PENDING_MAX = 4;
export const DELIVERIES_AN_ALARM_MAX = 3;
export const FEED_PAGE_EVENTS_MAX = 2;
export const FEED_SEGMENT_EVENTS_MAX = 5;
