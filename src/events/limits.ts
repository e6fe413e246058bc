import { DAY_MS, KIB, MINUTE_MS, SECOND_MS } from "../kernel/units.ts";

/** The minimum interval between two writes of the feed. Events that arrive in between are written together. */
export const FEED_BATCH_MS = 100;

/** The size of a row of the feed, unless one event is larger; SQLite's limit is 2 MB. */
export const FEED_ROW_CHARACTERS_MAX = 256 * KIB;

/** How much of the feed one page may scan for matching events. */
export const FEED_SCAN_CHARACTERS_MAX = 8 * KIB * KIB;

/** In the feed, a `work` or `response` above this size is replaced by its size; the task's own log has the value. */
export const FEED_VALUE_BYTES_MAX = 4 * KIB;

/** If the data of an event exceeds this size, its texts and lists are shortened for the feed. */
export const FEED_DATA_BYTES_MAX = 16 * KIB;

export const FEED_TEXT_CHARACTERS_MAX = 1_000;

export const FEED_LIST_BYTES_MAX = 2 * KIB;

/** How long the feed keeps events; the tasks' own logs keep them as long as the tasks. */
export const FEED_RETENTION_MS = 7 * DAY_MS;

/** The maximum delay before old events are deleted, so that one run deletes many. */
export const FEED_PRUNE_INTERVAL_MS = 60 * MINUTE_MS;

/** At this size the feed drops its oldest events. An object can store 10 GB; when it is full, every insert fails. */
export const FEED_BYTES_MAX = 8 * 1000 ** 3;

/** Rows that one run deletes; each may have up to FEED_ROW_CHARACTERS_MAX characters. */
export const FEED_PRUNED_ROWS_MAX = 500;

/** The pause before the next run if a run has not finished. */
export const FEED_MAINTENANCE_PAUSE_MS = SECOND_MS;

/** Tries of an insert into full storage. Before each retry, old events are dropped; one retry is usually enough. */
export const FEED_FULL_TRIES_MAX = 10;

/** Maximum size of a segment of the feed's index. A reader with a match in a segment reads all of it. */
export const FEED_SEGMENT_EVENTS_MAX = 1_000;

export const FEED_SEGMENT_CHARACTERS_MAX = KIB * KIB;

/** Segments that one run adds to the index. */
export const FEED_SEGMENTS_PER_RUN_MAX = 4;

/** The longest pause before a task retries a failing feed; the first is OUTBOX_RETRY_MS. */
export const FEED_RETRY_MAX_MS = 15 * MINUTE_MS;

/** How long after the time of an event the feed searches for a duplicate of it. */
export const FEED_DUPLICATE_SEARCH_MS = 10 * MINUTE_MS;

/** Tasks whose repeated publications the feed remembers: a delayed call arrives within seconds. */
export const FEED_DUPLICATE_TASKS_MAX = 10_000;

/** Directory rows in one transaction of the feed. D1 allows 50 queries per invocation on Workers Free. */
export const FEED_DIRECTORY_ROWS_MAX = 40;

/** How long a publication waits for its directory row: less than a task waits for the feed. */
export const FEED_DIRECTORY_TIMEOUT_MS = SECOND_MS / 2;

/** After this time, a transaction without a response counts as failed, so that the feed can start the next one. */
export const FEED_DIRECTORY_TRANSACTION_MAX_MS = MINUTE_MS;

/** How long the feed waits for a webhook's object or the registry: less than a task waits for the feed. */
export const FEED_NOTIFY_TIMEOUT_MS = SECOND_MS / 2;

/** How long the feed caches the list of webhooks if no change is announced. */
export const FEED_WEBHOOKS_CACHE_MS = MINUTE_MS;

/** Webhooks in total. The filter of each is checked for every event. */
export const WEBHOOKS_MAX = 100;

/** Webhooks per key, so that no single key uses up the total limit. Only the total limit applies to the root key. */
export const WEBHOOKS_PER_KEY_MAX = 20;

/** Extra headers of a webhook; receivers need one or two. */
export const WEBHOOK_HEADERS_MAX = 20;

/** The length of a webhook's template, which is loaded with each attempt. */
export const WEBHOOK_TEMPLATE_CHARACTERS_MAX = 20_000;

/** The length of a rendered template. The largest event has several values of 64 KiB. */
export const WEBHOOK_BODY_CHARACTERS_MAX = 256 * KIB;

/** Work that rendering a template may take, in units of ten nanoseconds; one alarm renders up to forty templates. */
export const WEBHOOK_RENDER_UNITS_MAX = 5_000_000;

/** Slack's limit for a text object. */
export const SLACK_TEXT_CHARACTERS_MAX = 3_000;

/** Discord's limit for a message's content. */
export const DISCORD_CONTENT_CHARACTERS_MAX = 2_000;

/** Teams accepts messages of 28 KB: this many characters fit even if each is escaped or takes three bytes. */
export const TEAMS_TEXT_CHARACTERS_MAX = 5_000;

/** The size of a signing secret according to Standard Webhooks. */
export const WEBHOOK_SECRET_BYTES_MIN = 24;

export const WEBHOOK_SECRET_BYTES_MAX = 64;

/** How long a replaced secret continues to sign messages. */
export const WEBHOOK_SECRET_OVERLAP_MS = DAY_MS;

/** Secrets that sign at the same time, each with its own signature in one header. Further rotations drop the oldest. */
export const WEBHOOK_SECRETS_MAX = 5;

/** The pauses before the ten attempts of one delivery: 67 h 35 min in total, 71 h with jitter. */
export const DELIVERY_RETRY_DELAYS_MS: readonly number[] = [
  0,
  5 * SECOND_MS,
  5 * MINUTE_MS,
  30 * MINUTE_MS,
  2 * 60 * MINUTE_MS,
  5 * 60 * MINUTE_MS,
  10 * 60 * MINUTE_MS,
  13 * 60 * MINUTE_MS,
  17 * 60 * MINUTE_MS,
  20 * 60 * MINUTE_MS,
];

/** The maximum jitter, as a fraction of a pause, so that receivers that failed together are not retried together. */
export const DELIVERY_JITTER_MAX = 0.05;

/** The maximum `Retry-After` of a receiver. */
export const DELIVERY_RETRY_AFTER_MAX_MS = DAY_MS;

/** The minimum timeout that Standard Webhooks recommends. */
export const DELIVERY_TIMEOUT_MS = 15 * SECOND_MS;

/** How long to wait for the body of a response after its status. */
export const DELIVERY_RESPONSE_BODY_TIMEOUT_MS = 2 * SECOND_MS;

/** The part of a response body that the log stores. */
export const DELIVERY_RESPONSE_CHARACTERS_MAX = 400;

/** Concurrent deliveries to one receiver; more could overload it after an outage. */
export const DELIVERIES_AT_ONCE_MAX = 5;

/** Deliveries of one alarm; each is a subrequest. The next alarm makes the rest. */
export const DELIVERIES_PER_ALARM_MAX = 40;

/** An alarm starts no further delivery after this time; alarms may run for 15 minutes. */
export const DELIVERIES_ALARM_MS = MINUTE_MS;

/** Pending deliveries of a webhook; further events wait in the feed. */
export const DELIVERIES_PENDING_MAX = 10_000;

/** Events per page that a webhook reads from the feed. */
export const FEED_PAGE_EVENTS_MAX = 100;

/** The last attempts of one delivery that its log keeps: three rounds. */
export const DELIVERY_ATTEMPTS_KEPT_MAX = 30;

/** How long the log keeps ended deliveries. */
export const DELIVERY_RETENTION_MS = 30 * DAY_MS;

/** Old deliveries that one alarm deletes. */
export const DELIVERIES_PRUNED_MAX = 1_000;

/** A webhook reads the feed again this long after a change, because the feed may use an earlier state until then. */
export const WEBHOOK_REREAD_MS = FEED_WEBHOOKS_CACHE_MS + 30 * SECOND_MS;

/** The first backoff of a webhook if the registry or the feed cannot be reached; it doubles each time. */
export const WEBHOOK_BACKOFF_MIN_MS = SECOND_MS;

export const WEBHOOK_BACKOFF_MAX_MS = 5 * MINUTE_MS;
