import { DAY_MS, KIB, MINUTE_MS, SECOND_MS } from "../kernel/units.ts";

/** The minimum interval between writes to the feed. Events that arrive in between are written together. */
export const FEED_BATCH_MS = 100;

/** The maximum size of a feed row, unless a single event is larger. SQLite's limit is 2 MB. */
export const FEED_ROW_CHARACTERS_MAX = 256 * KIB;

/** How much of the feed can be scanned for one page of matching events. */
export const FEED_SCAN_CHARACTERS_MAX = 8 * KIB * KIB;

/** In the feed, a `work` or `response` above this size is replaced by its size; the task's own log keeps the value. */
export const FEED_VALUE_BYTES_MAX = 4 * KIB;

/** If an event's data exceeds this size, its strings and lists are shortened for the feed. */
export const FEED_DATA_BYTES_MAX = 16 * KIB;

export const FEED_TEXT_CHARACTERS_MAX = 1_000;

export const FEED_LIST_BYTES_MAX = 2 * KIB;

/** The maximum number of open streams of the feed. Each reads the feed up to four times a second. */
export const FEED_STREAMS_MAX = 200;

/** The maximum number of these streams per key, so that no key can use them all. Does not apply to the root key. */
export const FEED_STREAMS_PER_KEY_MAX = 40;

/** The minimum interval between a stream's reads. Under load, each read returns all events of an interval. */
export const FEED_STREAM_READ_MS = 250;

/**
 * If the last write contained at least this many publications, tasks collect their events even if clients follow the
 * feed. The feed writes ten times a second.
 */
export const FEED_BUSY_PUBLICATIONS = 10;

/** How long the feed keeps events. A task's own log keeps them for as long as the task exists. */
export const FEED_RETENTION_MS = 7 * DAY_MS;

/** How long the deletion of old events can be delayed, so that one run deletes many. */
export const FEED_PRUNE_INTERVAL_MS = 60 * MINUTE_MS;

/** At this size, the feed drops its oldest events. An object can store 10 GB; when it is full, every insert fails. */
export const FEED_BYTES_MAX = 8 * 1000 ** 3;

/** The maximum number of rows that one run deletes. A row can have up to FEED_ROW_CHARACTERS_MAX characters. */
export const FEED_PRUNED_ROWS_MAX = 500;

/** The pause before the next run if there is more to do. */
export const FEED_MAINTENANCE_PAUSE_MS = SECOND_MS;

/**
 * Maximum attempts to insert into full storage. Old events are dropped before each retry; one retry is usually enough.
 */
export const FEED_FULL_TRIES_MAX = 10;

/**
 * The maximum size of a segment in the feed's index. If any event in a segment may match, a reader reads the entire
 * segment.
 */
export const FEED_SEGMENT_EVENTS_MAX = 1_000;

export const FEED_SEGMENT_CHARACTERS_MAX = KIB * KIB;

/** The maximum number of segments that one run adds to the index. */
export const FEED_SEGMENTS_PER_RUN_MAX = 4;

/** The longest pause before a task retries a failing feed; the first pause is OUTBOX_RETRY_MS. */
export const FEED_RETRY_MAX_MS = 15 * MINUTE_MS;

/** How far past an event's time the feed searches for a duplicate. */
export const FEED_DUPLICATE_SEARCH_MS = 10 * MINUTE_MS;

/** How many tasks' repeated publications the feed remembers. Delayed calls arrive within seconds. */
export const FEED_DUPLICATE_TASKS_MAX = 10_000;

/** The maximum number of directory rows in one transaction. D1 allows 50 queries per invocation on Workers Free. */
export const FEED_DIRECTORY_ROWS_MAX = 40;

/** How long a publication waits for its directory row. Must be shorter than the time that a task waits for the feed. */
export const FEED_DIRECTORY_TIMEOUT_MS = SECOND_MS / 2;

/** After this time, a transaction without a response counts as failed, so that the feed can start the next one. */
export const FEED_DIRECTORY_TRANSACTION_MAX_MS = MINUTE_MS;

/**
 * How long the feed waits for a webhook's object or the registry. Must be shorter than the time that a task waits for
 * the feed.
 */
export const FEED_NOTIFY_TIMEOUT_MS = SECOND_MS / 2;

/** How long the feed caches the list of webhooks if it is not notified of a change. */
export const FEED_WEBHOOKS_CACHE_MS = MINUTE_MS;

/** The maximum number of webhooks in total. Every event is checked against every webhook's filter. */
export const WEBHOOKS_MAX = 100;

/**
 * The maximum number of webhooks per key, so that no key can use up the total limit. Does not apply to the root key.
 */
export const WEBHOOKS_PER_KEY_MAX = 20;

/** The maximum number of extra headers for a webhook; receivers typically need one or two. */
export const WEBHOOK_HEADERS_MAX = 20;

/** The maximum length of a webhook's template, which is loaded for each attempt. */
export const WEBHOOK_TEMPLATE_CHARACTERS_MAX = 20_000;

/** The maximum length of a rendered template. The largest events contain several values of 64 KiB. */
export const WEBHOOK_BODY_CHARACTERS_MAX = 256 * KIB;

/** Maximum work to render a template, in units of ten nanoseconds. One alarm renders up to forty templates. */
export const WEBHOOK_RENDER_UNITS_MAX = 5_000_000;

/** Slack's limit for a text object. */
export const SLACK_TEXT_CHARACTERS_MAX = 3_000;

/** Discord's limit for a message's content. */
export const DISCORD_CONTENT_CHARACTERS_MAX = 2_000;

/** Teams accepts messages of up to 28 KB. This many characters fit even if each one is escaped or takes three bytes. */
export const TEAMS_TEXT_CHARACTERS_MAX = 5_000;

/** The minimum size of a signing secret, as defined by Standard Webhooks. */
export const WEBHOOK_SECRET_BYTES_MIN = 24;

export const WEBHOOK_SECRET_BYTES_MAX = 64;

/** How long messages are still signed with a replaced secret. */
export const WEBHOOK_SECRET_OVERLAP_MS = DAY_MS;

/** The maximum number of secrets used to sign each message. If a rotation exceeds it, the oldest secret is dropped. */
export const WEBHOOK_SECRETS_MAX = 5;

/** The pause before each of a delivery's ten attempts: 67 h 35 min in total, up to 71 h with jitter. */
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

/**
 * The maximum jitter, as a fraction of a pause. It keeps deliveries that failed together from being retried together.
 */
export const DELIVERY_JITTER_MAX = 0.05;

/** The longest pause that a receiver can request with `Retry-After`. */
export const DELIVERY_RETRY_AFTER_MAX_MS = DAY_MS;

/** The minimum timeout that Standard Webhooks recommends. */
export const DELIVERY_TIMEOUT_MS = 15 * SECOND_MS;

/** How long to wait for a response's body after its status arrives. */
export const DELIVERY_RESPONSE_BODY_TIMEOUT_MS = 2 * SECOND_MS;

/** How much of a response body the log stores. */
export const DELIVERY_RESPONSE_CHARACTERS_MAX = 400;

/** The maximum number of concurrent deliveries to one receiver. More could overload it after an outage. */
export const DELIVERIES_AT_ONCE_MAX = 5;

/** Maximum deliveries per alarm. Each delivery is a subrequest. The next alarm makes the rest. */
export const DELIVERIES_PER_ALARM_MAX = 40;

/** An alarm starts no more deliveries after this time. Alarms can run for up to 15 minutes. */
export const DELIVERIES_ALARM_MS = MINUTE_MS;

/** The maximum number of pending deliveries per webhook. Further events wait in the feed. */
export const DELIVERIES_PENDING_MAX = 10_000;

/** The maximum number of events in a page that a webhook reads from the feed. */
export const FEED_PAGE_EVENTS_MAX = 100;

/** How many of a delivery's latest attempts the log keeps, enough for three rounds. */
export const DELIVERY_ATTEMPTS_KEPT_MAX = 30;

/** How long the log keeps a delivery after it ends. */
export const DELIVERY_RETENTION_MS = 30 * DAY_MS;

/** The maximum number of old deliveries that one alarm deletes. */
export const DELIVERIES_PRUNED_MAX = 1_000;

/** The delay before a changed webhook rereads the feed, which may use outdated settings until then. */
export const WEBHOOK_REREAD_MS = FEED_WEBHOOKS_CACHE_MS + 30 * SECOND_MS;

/** A webhook's first backoff when the registry or the feed is unreachable; it doubles each time. */
export const WEBHOOK_BACKOFF_MIN_MS = SECOND_MS;

export const WEBHOOK_BACKOFF_MAX_MS = 5 * MINUTE_MS;
