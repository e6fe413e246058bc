import { DAY_MS, KIB, MINUTE_MS, SECOND_MS } from "../kernel/units.ts";

/** The maximum number of a task's calls that require approval. Each is part of the task's state. */
export const TASK_APPROVALS_MAX = 200;

/** The maximum size of a budget. A budget can contain any fields, and is stored in the same row as the context. */
export const BUDGET_BYTES_MAX = 64 * KIB;

/**
 * The maximum size of a task's context, of its `work`, and of all its answers together. A context can be larger than
 * the request that set it, because PATCH and retries add keys and because numbers such as 1e20 are expanded.
 */
export const CONTEXT_BYTES_MAX = KIB * KIB;

export const TASK_CHARACTERS_MAX = 4_000;

export const TITLE_CHARACTERS_MAX = 200;

export const EXTERNAL_ID_CHARACTERS_MAX = 200;

/** The maximum number of a task's labels. Each is a row in the directory. */
export const LABELS_MAX = 20;

export const LABEL_KEY_CHARACTERS_MAX = 63;

export const LABEL_VALUE_CHARACTERS_MAX = 200;

export const NOTES_CHARACTERS_MAX = 10_000;

/** Applies to reasons, comments, questions, answers and written feedback. */
export const COMMENT_CHARACTERS_MAX = 5_000;

/** A page of events ends early at this size, which is well below the 32 MiB limit for RPC. */
export const EVENTS_PAGE_CHARACTERS_MAX = 4 * KIB * KIB;

/**
 * How long an isolate remembers that a filter matches more than TOTAL_COUNTED_MAX tasks. Counting again would read that
 * many rows.
 */
export const COUNT_CACHE_MS = 10 * SECOND_MS;

/** The maximum number of filters that an isolate remembers for COUNT_CACHE_MS. */
export const COUNT_CACHE_ENTRIES_MAX = 1_000;

export const DEADLINE_YEARS_MAX = 5;

/** The maximum time budget. It is long enough for the latest possible deadline. */
export const BUDGET_SECONDS_MAX = 5 * 366 * 24 * 60 * 60;

/** A hundred years, because Cloudflare does not support alarms after the year 2189. */
export const RETENTION_DAYS_MAX = 36_525;

/** GET omits a context larger than this unless the query contains `include=context`. */
export const CONTEXT_INLINE_BYTES_MAX = 64 * KIB;

/** The maximum total length of a task's notes. Each PATCH can add more, and GET returns all of them. */
export const NOTES_TOTAL_CHARACTERS_MAX = 100_000;

/** Stored bytes are counted in units of this size. A small task fits in one unit, which saves row writes. */
export const STORED_BYTES_UNIT = 32 * KIB;

/**
 * After this many bytes of progress events, the directory row is updated, and the bytes then count towards the key's
 * limit.
 */
export const STORED_BYTES_STEP = KIB * KIB;

/**
 * A report with a larger `work` is rejected if it would exceed the stored-bytes limit of the key that created the task.
 */
export const WORK_EXEMPT_BYTES_MAX = 4 * KIB;

/** How long a task collects events before it publishes them to the feed. */
export const FEED_PUBLISH_DELAY_MS = 3 * SECOND_MS;

/**
 * The longest time that a call to the feed is assumed to take. It is far above Cloudflare's limits for connections and
 * queries.
 */
export const FEED_CALL_DELAY_MAX_MS = 60 * MINUTE_MS;

/**
 * The maximum length of a task's title in events: the title that a client chose, or the beginning of the task's text.
 */
export const EVENT_TITLE_CHARACTERS_MAX = 200;

/** The maximum number of subscribers to one task. Each is notified of every change. */
export const SUBSCRIBERS_PER_TASK_MAX = 1_000;

/** The interval between pings on a stream. Pings keep proxies from closing the stream as idle. */
export const PING_INTERVAL_MS = 15 * SECOND_MS;

/** How long a request waits for the directory row to be written. After that, the alarm writes it. */
export const OUTBOX_TIMEOUT_MS = SECOND_MS;

/** How soon the alarm retries publishing a change. The directory must not lag by more than 60 seconds. */
export const OUTBOX_RETRY_MS = 10 * SECOND_MS;

/**
 * Bounds for the interval between searches for a suitable agent. The interval is as long as the task has waited so far.
 */
export const ASSIGNMENT_RETRY_MIN_MS = SECOND_MS;

export const ASSIGNMENT_RETRY_MAX_MS = MINUTE_MS;

/** How long work is retried after platform failures before the attempt fails. */
export const OUTAGE_MAX_MS = 15 * MINUTE_MS;

export const OUTAGE_BACKOFF_MIN_MS = SECOND_MS;

export const OUTAGE_BACKOFF_MAX_MS = MINUTE_MS;

/** A step that takes longer counts as failed. A built-in agent's step normally takes less than a second. */
export const STEP_TIMEOUT_MS = 30 * SECOND_MS;

/**
 * How many times an alarm is retried after crashes before the attempt fails. Must be below six, because Cloudflare
 * drops an alarm after its sixth retry.
 */
export const ALARM_RETRIES_MAX = 3;

/** The maximum value of `AGENT_STEP_INTERVAL_MS`. */
export const STEP_INTERVAL_MAX_MS = DAY_MS;

/** The maximum value of `ALARM_RUN_MAX_MS`. Lists may not show an alarm run's changes until the run ends. */
export const ALARM_RUN_LIMIT_MS = 10 * SECOND_MS;
/** The default value of `ALARM_RUN_MAX_MS`. */
export const ALARM_RUN_DEFAULT_MS = 250;

/** How long a claim can wait for its first task. Clients and proxies may abort longer requests. */
export const CLAIM_WAIT_MAX_MS = 20 * SECOND_MS;

/** How long an MCP get_task call can wait for a status change. MCP hosts may abort longer calls. */
export const TASK_WAIT_MAX_MS = 20 * SECOND_MS;

/** The maximum number of pages of over-budget tasks that one call reads. If more remain, the call is rejected. */
export const OVER_BUDGET_PAGES_MAX = 3;

/** How many over-budget tasks a call reads in parallel. */
export const OVER_BUDGET_READS_AT_ONCE_MAX = 6;

export const LEASE_SECONDS_MIN = 5;

export const LEASE_SECONDS_DEFAULT = 60;

export const LEASE_SECONDS_MAX = 3_600;

/** The task fails after the leases of this many attempts have expired. A client's retry resets the count. */
export const AUTOMATIC_ATTEMPTS_MAX = 3;

/**
 * The maximum number of events per task. A report every two seconds for a day produces 43,200 events, which the task's
 * object reads in about a second.
 */
export const TASK_EVENTS_MAX = 50_000;

/** The maximum size of a task's log. The log can hold more than a hundred contexts of maximum size. */
export const TASK_LOG_BYTES_MAX = 128 * KIB * KIB;

/**
 * How many unpublished events an object keeps in memory, each with the resulting task. Short tasks have fewer events.
 */
export const LATEST_EVENTS_MAX = 16;

/** A log with fewer events cannot reach TASK_LOG_BYTES_MAX, because a SQLite row can hold at most 2 MB. */
export const TASK_LOG_EVENTS_MEASURED_MIN = 60;

/**
 * A client cannot retry a task with this many attempts, because responses list every attempt with its error. Automatic
 * retries count towards this limit but are not stopped by it.
 */
export const ATTEMPTS_MAX = 100;

/** The maximum pause before the second attempt. It doubles before the third. */
export const LEASE_BACKOFF_MS = SECOND_MS;

/** The time limit for one turn of a model or an A2A agent. */
export const TURN_TIMEOUT_MS = 2 * MINUTE_MS;

/**
 * A turn that has waited in the turn queue for this long is sent again. The interval doubles each time, up to the
 * maximum.
 */
export const TURN_RESEND_MIN_MS = 20 * SECOND_MS;

export const TURN_RESEND_MAX_MS = 15 * MINUTE_MS;

/** A turn that started but has no outcome after this time is considered lost and is repeated. */
export const TURN_LOST_AFTER_MS = TURN_TIMEOUT_MS + 30 * SECOND_MS;

/** The number of consecutive failed or lost turns after which the attempt fails. */
export const TURN_FAILURES_MAX = 5;

/** The maximum size of a file that a worker uploads. */
export const UPLOAD_BYTES_MAX = 100 * KIB * KIB;

/** The part size for uploads of unknown length. It is R2's minimum, because each part is buffered in memory. */
export const UPLOAD_PART_BYTES = 5 * KIB * KIB;

/** The maximum length of a lease token in a request. Generated tokens have 40 characters. */
export const LEASE_TOKEN_CHARACTERS_MAX = 200;

/** The maximum number of entries, each for one agent and day, in a task's costs. Its directory row contains them. */
export const TASK_DAY_COSTS_MAX = 400;

/** The maximum cost in a worker's report, in US dollars. Higher costs are probably mistakes. */
export const REPORTED_COST_MAX = 1_000_000;

/** The maximum length of a worker's summary. The summary and the findings are stored in one row of the log. */
export const SUMMARY_CHARACTERS_MAX = 20_000;

/** The maximum size of a worker's error details. The task stores the details of each attempt. */
export const ERROR_DETAILS_BYTES_MAX = 16 * KIB;

/**
 * A built-in agent's file up to this size is stored in the task's log. This requires no extra row write but costs $0.20
 * per GB-month. R2 costs $4.50 per million files and $0.015 per GB-month. At this size, the log is cheaper for about
 * the first three months.
 */
export const INLINE_FILE_BYTES_MAX = 8 * KIB;

/**
 * The maximum total size of a step's inline files. They are stored in the same row as the step's event, and a row can
 * hold at most 2 MB. Any other files are stored in R2.
 */
export const INLINE_FILES_PER_STEP_BYTES_MAX = 256 * KIB;

/** The maximum length of a deliverable's name. Most file systems allow at most 255 bytes. */
export const FILE_NAME_CHARACTERS_MAX = 128;

/** The maximum length of a deliverable's media type, including parameters. */
export const MEDIA_TYPE_CHARACTERS_MAX = 200;

/** The maximum size of a call's parameters, and of its result, in the call's record. Longer ones are cut off. */
export const CALL_VALUE_BYTES_MAX = 8 * KIB;

/** The maximum size of a call's parameters, and of its result, in lists of calls. */
export const CALL_LISTED_VALUE_BYTES_MAX = KIB;

/** The maximum length of the error message in a call's record. */
export const CALL_ERROR_CHARACTERS_MAX = 2_000;

/**
 * The number of events whose calls have records: usually at most 16 MiB, which counts towards
 * TASK_LOG_BYTES_MAX. The log drops older records in batches, which writes one more row for each further event with
 * calls.
 */
export const CALL_EVENTS_MAX = 1_000;
/** How many events lose their records at once. */
export const CALL_EVENTS_DROPPED = 100;

/**
 * The maximum size of the records in one event's row, which can hold at most 2 MB. Records that do not fit are stored
 * separately.
 */
export const CALL_RECORDS_PER_EVENT_CHARACTERS_MAX = 128 * KIB;

/** The number of records of calls without an event: rejected, running, interrupted or made after the task had ended. */
export const CALLS_WITHOUT_EVENT_MAX = 200;

/**
 * The maximum age of a failed attempt that is reported to the no-progress breaker. It bounds the retries during an
 * outage, and excludes attempts that failed under an earlier release.
 */
export const FAILURE_REPORT_MAX_MS = 10 * 60_000;

/** How long a task waits before it retries a failed check of the no-progress breaker. */
export const BREAKER_RETRY_MS = 5_000;

/** How many tasks one request reads to examine the calls that they recorded. */
export const RECORDED_CALLS_TASKS_MAX = 50;

/** How many of these tasks are read at the same time. */
export const RECORDED_CALLS_TASKS_AT_ONCE = 6;

/** How many of a task's newest calls are examined, and the maximum size of their parameters. */
export const RECORDED_CALLS_PER_TASK_MAX = 200;
export const RECORDED_CALLS_BYTES_MAX = 512 * KIB;
