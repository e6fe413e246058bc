import { DAY_MS, KIB, MINUTE_MS, SECOND_MS } from "../kernel/units.ts";

/** A budget is a few numbers; other fields in it must not fill the task's row. */
export const BUDGET_BYTES_MAX = 64 * KIB;

/** A stored context or answer. PATCH, retries and expanded numbers (1e20) can make it larger than the request. */
export const CONTEXT_BYTES_MAX = KIB * KIB;

export const TASK_CHARACTERS_MAX = 4_000;

export const NOTES_CHARACTERS_MAX = 10_000;

/** Reasons, comments and written feedback. */
export const COMMENT_CHARACTERS_MAX = 5_000;

/** A page of a log ends early at this size, far below the 32 MiB limit of an RPC. */
export const EVENTS_PAGE_CHARACTERS_MAX = 4 * KIB * KIB;

/** How long an isolate caches that a filter matches more than TOTAL_COUNTED_MAX: each count reads all those rows. */
export const COUNT_CACHE_MS = 10 * SECOND_MS;

/** Filters that an isolate caches at the same time. */
export const COUNT_CACHE_ENTRIES_MAX = 1_000;

export const DEADLINE_YEARS_MAX = 5;

/** As long as the furthest deadline. */
export const BUDGET_SECONDS_MAX = 5 * 366 * 24 * 60 * 60;

/** A hundred years; the platform supports no alarm after the year 2189. */
export const RETENTION_DAYS_MAX = 36_525;

/** GET omits a context larger than this unless the query has `include=context`. */
export const CONTEXT_INLINE_BYTES_MAX = 64 * KIB;

/** Each PATCH can add notes; the total must stay far below a row's 2 MB. */
export const NOTES_TOTAL_CHARACTERS_MAX = 100_000;

/** The unit in which a task's stored bytes are counted: a small task fits in one, which saves row writes. */
export const STORED_BYTES_UNIT = 32 * KIB;

/** Progress updates the directory row after this many bytes of events, which then count towards the key's limit. */
export const STORED_BYTES_STEP = KIB * KIB;

/** A report with a larger `work` is rejected if it exceeds the creator key's limit of stored bytes. */
export const WORK_EXEMPT_BYTES_MAX = 4 * KIB;

/** How long the first unpublished event of a task waits for later ones before they are published to the feed. */
export const FEED_PUBLISH_DELAY_MS = 3 * SECOND_MS;

/** The assumed maximum delay of a call to the feed: far above the platform's limits for a connection or a query. */
export const FEED_CALL_DELAY_MAX_MS = 60 * MINUTE_MS;

/** The length of a task's title in events: the beginning of its text. */
export const EVENT_TITLE_CHARACTERS_MAX = 200;

/** Subscribers of one task. A person has a few windows open, and each change notifies all of them. */
export const SUBSCRIBERS_PER_TASK_MAX = 1_000;

/** The interval of pings on a stream, so that no proxy closes it as idle. */
export const PING_INTERVAL_MS = 15 * SECOND_MS;

/** How long a request waits for its directory row; after that the alarm writes it. */
export const OUTBOX_TIMEOUT_MS = SECOND_MS;

/** How soon the alarm retries an unpublished change. The directory may be behind by at most 60 s. */
export const OUTBOX_RETRY_MS = 10 * SECOND_MS;

/** A task without a suitable agent searches again after as long as it has waited, within these bounds. */
export const ASSIGNMENT_RETRY_MIN_MS = SECOND_MS;

export const ASSIGNMENT_RETRY_MAX_MS = MINUTE_MS;

/** How long work is retried after failures of the platform before the attempt fails. */
export const OUTAGE_MAX_MS = 15 * MINUTE_MS;

export const OUTAGE_BACKOFF_MIN_MS = SECOND_MS;

export const OUTAGE_BACKOFF_MAX_MS = MINUTE_MS;

/** A step that takes longer counts as a failure. The built-in agents take at most a second. */
export const STEP_TIMEOUT_MS = 30 * SECOND_MS;

/** The platform drops an alarm permanently after its sixth retry. */
export const ALARM_RETRIES_MAX = 3;

/** The longest pause before a step of a built-in agent. */
export const STEP_INTERVAL_MAX_MS = DAY_MS;

/** The longest time that steps of a task may share one alarm run: its changes are published at the end of the run. */
export const ALARM_RUN_LIMIT_MS = 10 * SECOND_MS;
/** The default if `ALARM_RUN_MAX_MS` is not set. */
export const ALARM_RUN_DEFAULT_MS = 250;

/** How long a claim can wait for its first task; clients and proxies give up on longer waits. */
export const CLAIM_WAIT_MAX_MS = 20 * SECOND_MS;

/** How long a get_task call over MCP can wait for a status change; hosts abort longer calls. */
export const TASK_WAIT_MAX_MS = 20 * SECOND_MS;

/** Pages of tasks over their budgets that one call reads. The call is rejected if tasks remain unread. */
export const OVER_BUDGET_PAGES_MAX = 3;

/** Tasks over their budgets that a call reads in parallel. */
export const OVER_BUDGET_READS_AT_ONCE_MAX = 6;

export const LEASE_SECONDS_MIN = 5;

export const LEASE_SECONDS_DEFAULT = 60;

export const LEASE_SECONDS_MAX = 3_600;

/** Automatic attempts after lost leases, including the first attempt. */
export const AUTOMATIC_ATTEMPTS_MAX = 3;

/** Events of one task. A report every two seconds for a day makes 43,200, which an object reads in about a second. */
export const TASK_EVENTS_MAX = 50_000;

/** Bytes of one task's log, of its object's 10 GB: room for more than a hundred contexts of maximum size. */
export const TASK_LOG_BYTES_MAX = 128 * KIB * KIB;

/** Committed events that an object keeps in memory, each with the task after it: more than a short task has. */
export const LATEST_EVENTS_MAX = 16;

/** Fewer events cannot reach TASK_LOG_BYTES_MAX, because a row of an object's SQLite has at most 2 MB. */
export const TASK_LOG_EVENTS_MEASURED_MIN = 60;

/**
 * A task with this many attempts cannot be retried, because a task shows each attempt with its error. Automatic
 * attempts count, but only `AUTOMATIC_ATTEMPTS_MAX` and the limits of the log stop them.
 */
export const ATTEMPTS_MAX = 100;

/** The longest pause before the second attempt; it doubles before the third. */
export const LEASE_BACKOFF_MS = SECOND_MS;

/** The time limit of one turn of a model or an A2A agent. */
export const TURN_TIMEOUT_MS = 2 * MINUTE_MS;

/** A turn that has waited in the turn queue for this long is sent again; the pause doubles each time. */
export const TURN_RESEND_MIN_MS = 20 * SECOND_MS;

export const TURN_RESEND_MAX_MS = 15 * MINUTE_MS;

/** A turn that started and has no outcome after this time is lost and is repeated. */
export const TURN_LOST_AFTER_MS = TURN_TIMEOUT_MS + 30 * SECOND_MS;

/** The number of consecutive failed or lost turns after which the attempt fails. */
export const TURN_FAILURES_MAX = 5;

/** A deliverable that a worker uploads. */
export const UPLOAD_BYTES_MAX = 100 * KIB * KIB;

/** The part size of uploads of unknown length: the minimum of R2, because memory holds one part. */
export const UPLOAD_PART_BYTES = 5 * KIB * KIB;

/** The lease token in a worker's request; generated tokens have 40 characters. */
export const LEASE_TOKEN_CHARACTERS_MAX = 200;

/** A worker's summary of its work, which is one row of the log with its findings. */
export const SUMMARY_CHARACTERS_MAX = 20_000;

/** The size of a worker's error details. The task stores one per attempt. */
export const ERROR_DETAILS_BYTES_MAX = 16 * KIB;

/**
 * A built-in agent's file up to this size is stored in its task's log, which costs no row but 0.20 dollars per GB-month;
 * R2 costs 4.50 per million files and 0.015 per GB-month. At this size the log is cheaper for three months.
 */
export const INLINE_FILE_BYTES_MAX = 8 * KIB;

/** All inline files of one step, which are in one row of at most 2 MB with its event; further files go to R2. */
export const INLINE_FILES_PER_STEP_BYTES_MAX = 256 * KIB;

/** The name of a deliverable, which is part of a path; most file systems allow at most 255 bytes. */
export const FILE_NAME_CHARACTERS_MAX = 128;

/** The media type of a deliverable, parameters included. */
export const MEDIA_TYPE_CHARACTERS_MAX = 200;
