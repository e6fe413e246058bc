/** Every limit of the service, each with its unit in the name and its reason beside it. */

const KIB = 1024;
const SECOND_MS = 1000;
const MINUTE_MS = 60 * SECOND_MS;
const DAY_MS = 24 * 60 * MINUTE_MS;

/** The largest request body. A task's context lives in one SQLite row, which holds at most 2 MB. */
export const BODY_BYTES_MAX = KIB * KIB;
/** How much of a body that is too large is read and thrown away before the answer. */
export const BODY_DRAINED_BYTES_MAX = 8 * BODY_BYTES_MAX;
/** A budget is a few numbers; what else clients keep in it must not crowd the task's row. */
export const BUDGET_BYTES_MAX = 64 * KIB;
/** A task's context, or an answer to it, as it is stored, which PATCH, retry and numbers written out (1e20) can make larger. */
export const CONTEXT_BYTES_MAX = BODY_BYTES_MAX;
/** Deeper JSON has no honest use, and recursion over RPC breaks in the thousands. The body itself is depth 1. */
export const JSON_DEPTH_MAX = 32;
/** Problems of one request that are told; more would not help anybody mend the input. */
export const PROBLEMS_REPORTED_MAX = 20;
/** A field's name can be as long as the body; a problem tells its beginning. */
export const PROBLEM_PATH_CHARACTERS_MAX = 200;
/** Longer URLs are refused by proxies on the way, so nobody can rely on them. */
export const URL_BYTES_MAX = 8 * KIB;

export const ID_CHARACTERS_MAX = 128;
export const IDEMPOTENCY_KEY_CHARACTERS_MAX = 255;
export const NAME_CHARACTERS_MAX = 200;
export const SEARCH_CHARACTERS_MAX = 200;
export const TASK_CHARACTERS_MAX = 4_000;
export const NOTES_CHARACTERS_MAX = 10_000;
/** Reasons, comments and written feedback. */
export const COMMENT_CHARACTERS_MAX = 5_000;
/** Deliverable types of a task, issues of a feedback, capabilities of a grant. */
export const LIST_ITEMS_MAX = 50;

/** A page of a log ends early past this, far below the 32 MiB that an RPC carries. */
export const EVENTS_PAGE_CHARACTERS_MAX = 4 * KIB * KIB;

export const PAGE_LIMIT_DEFAULT = 50;
export const PAGE_LIMIT_MAX = 100;
/** Further in, a cursor costs the same as the first page; an offset reads all it skips. */
export const PAGE_OFFSET_MAX = 10_000;
/** Totals are counted up to here; counting a million rows for each page would cost more than the page. */
export const TOTAL_COUNTED_MAX = 10_000;
/** Where an isolate has counted more than that, it takes it for granted this long: a count reads them all. */
export const COUNT_CACHE_MS = 10 * SECOND_MS;
/** Filters under which an isolate remembers that at once. */
export const COUNT_CACHE_ENTRIES_MAX = 1_000;
/** Databases of the directory. Each list asks them all, and the platform lets six of them answer a request at a time. */
export const DIRECTORY_SHARDS_MAX = 16;

export const DEADLINE_YEARS_MAX = 5;
/** As long as the furthest deadline. */
export const BUDGET_SECONDS_MAX = 5 * 366 * 24 * 60 * 60;
/** A hundred years; the platform sets no alarm beyond the year 2189. */
export const RETENTION_DAYS_MAX = 36_525;
/** A context larger than this is left out of GET unless asked for with `include=context`. */
export const CONTEXT_INLINE_BYTES_MAX = 64 * KIB;
/** Notes pile up by PATCH; the whole must stay far below a row's 2 MB. */
export const NOTES_TOTAL_CHARACTERS_MAX = 100_000;

/** A revoked key can live on this long in an isolate that has just seen it. */
export const KEY_CACHE_MS = 10 * SECOND_MS;
/** Keys and failed look-ups an isolate remembers at once. */
export const KEY_CACHE_ENTRIES_MAX = 1_000;
/** How often the key of an open stream or waiting claim is checked, so that both end within 10 s of the key. */
export const KEY_CHECK_MS = 3 * SECOND_MS;
/** A check that another stream of the isolate made within this time is reused. */
export const KEY_CHECK_AGE_MAX_MS = SECOND_MS;
/** A check that takes longer is abandoned and repeated at the next interval. */
export const KEY_CHECK_TIMEOUT_MS = 2 * SECOND_MS;
/** How often a queue checks the keys of its leases, so that leases end within 10 s of their key. */
export const LEASE_KEY_CHECK_MS = 5 * SECOND_MS;
/** The precision of a key's `lastUsedAt`: each update writes a row. */
export const KEY_LAST_USED_INTERVAL_MS = 10 * MINUTE_MS;
/** How long an isolate caches a key's usage; until then it adds what it admits. */
export const KEY_USAGE_AGE_MAX_MS = 2 * SECOND_MS;
/** How long a request waits for the usage; it is admitted if the directory does not answer. */
export const KEY_USAGE_TIMEOUT_MS = SECOND_MS;
/** The unit in which a task's stored bytes are counted: a small task fits in one, which saves row writes. */
export const STORED_BYTES_UNIT = 32 * KIB;
/** Progress updates a task's row in the directory after this many bytes of events, which then count towards the key's limit. */
export const STORED_BYTES_STEP = KIB * KIB;
/** A report with a larger `work` is rejected if it exceeds the creator key's limit of stored bytes. */
export const WORK_EXEMPT_BYTES_MAX = 4 * KIB;
/** Resources of each kind that one revocation lists, and the number of agents that it disables. */
export const KEY_RESOURCES_MAX = 100;

/** Events of a task wait about this long for those that follow them before the feed of all tasks is told. */
export const FEED_PUBLISH_DELAY_MS = 3 * SECOND_MS;
/** The feed writes what comes in within this as one row; alone it is written at once. */
export const FEED_BATCH_MS = 50;
/** A row of the feed holds no more than this, unless one event alone does; SQLite's rows hold 2 MB. */
export const FEED_ROW_CHARACTERS_MAX = 256 * KIB;
/** What a page of the feed looks through at most to find what it is asked for. */
export const FEED_SCAN_CHARACTERS_MAX = 8 * KIB * KIB;
/** In the feed, a `work` or `response` above this size is replaced by its size; the task's own log has the value. */
export const FEED_VALUE_BYTES_MAX = 4 * KIB;
/** If the data of an event exceeds this size, its texts and lists are shortened for the feed. */
export const FEED_DATA_BYTES_MAX = 16 * KIB;
export const FEED_TEXT_CHARACTERS_MAX = 1_000;
export const FEED_LIST_BYTES_MAX = 2 * KIB;
/** The length of a task's title in events: the beginning of its text. */
export const EVENT_TITLE_CHARACTERS_MAX = 200;
/** How long the feed keeps events; the tasks' own logs keep them as long as the tasks. */
export const FEED_RETENTION_MS = 7 * DAY_MS;
/** The maximum delay before old events are deleted, so that one run deletes many. */
export const FEED_PRUNE_INTERVAL_MS = 60 * MINUTE_MS;
/** At this size the feed drops its oldest events. An object holds 10 GB; when it is full, every insert fails. */
export const FEED_BYTES_MAX = 8 * 1000 ** 3;
/** Rows that one run deletes; each may hold FEED_ROW_CHARACTERS_MAX. */
export const FEED_PRUNED_ROWS_MAX = 500;
/** The pause before the next run if a run has not finished. */
export const FEED_MAINTENANCE_PAUSE_MS = SECOND_MS;
/** How often one insert into full storage drops old events and retries. One drop frees more than most inserts need. */
export const FEED_FULL_TRIES_MAX = 10;
/** Maximum size of a segment of the feed's index. A reader with a match in a segment reads all of it. */
export const FEED_SEGMENT_EVENTS_MAX = 1_000;
export const FEED_SEGMENT_CHARACTERS_MAX = KIB * KIB;
/** Segments that one run adds to the index. */
export const FEED_SEGMENTS_PER_RUN_MAX = 4;
/** The longest pause before a task retries a failing feed; the first is PROJECTION_RETRY_MS. */
export const FEED_RETRY_MAX_MS = 15 * MINUTE_MS;
/** Where a restart left it open whether the feed has an event, it looks for it this long behind its time. */
export const FEED_DUPLICATE_SEARCH_MS = 10 * MINUTE_MS;
/** Tasks whose doubts the feed remembers: what was overtaken comes within seconds. */
export const FEED_DUPLICATE_TASKS_MAX = 10_000;
/** The feed waits this long for a webhook's object, or the registry: less than a task waits for the feed. */
export const FEED_NOTIFY_TIMEOUT_MS = SECOND_MS / 2;
/** How long the feed goes by the webhooks it knows, should it not have heard of a change. */
export const FEED_WEBHOOKS_CACHE_MS = MINUTE_MS;

/** Followers of one task; a person has a few windows open, and each change is told to all of them. */
export const SUBSCRIBERS_PER_TASK_MAX = 1_000;
/** A follower hears something this often, so that no proxy on the way takes the stream for dead. */
export const PING_INTERVAL_MS = 15 * SECOND_MS;
/** A stream ends after this and its client comes back with its key, which may have been revoked. */
export const STREAM_LIFE_MS = 15 * MINUTE_MS;
/** After this, a stream whose end was never reported no longer counts against its key. */
export const OPEN_STREAM_LIFE_MS = STREAM_LIFE_MS + MINUTE_MS;
/** How soon a client comes back after its stream has ended. */
export const STREAM_RETRY_MS = SECOND_MS;

/** How long a signed download link works. */
export const DOWNLOAD_LINK_MS = 60 * MINUTE_MS;

/** A request waits this long for its directory row; after that the alarm brings it. */
export const PROJECTION_TIMEOUT_MS = SECOND_MS;
/** How soon the alarm looks after a directory row that may be behind; promise 6 allows 60 s. */
export const PROJECTION_RETRY_MS = 10 * SECOND_MS;

/** A task without a fitting agent looks again after as long as it has waited, within these bounds. */
export const ASSIGNMENT_RETRY_MIN_MS = SECOND_MS;
export const ASSIGNMENT_RETRY_MAX_MS = MINUTE_MS;
/** Tasks are given to agents, and begun by them, by what an isolate saw of the agents this lately. */
export const AGENT_CACHE_MS = SECOND_MS;
/** Agents and teams that an isolate remembers at once. */
export const AGENT_CACHE_ENTRIES_MAX = 200;
/** Agents weighed for one task. */
export const CANDIDATES_MAX = 500;
/** Who takes a new task is decided without the loads that a further shard of the directory does not tell by then. */
export const AGENT_LOADS_TIMEOUT_MS = SECOND_MS;

/** Work that meets faults of the platform is tried again this long, then the attempt fails. */
export const OUTAGE_MAX_MS = 15 * MINUTE_MS;
export const OUTAGE_BACKOFF_MIN_MS = SECOND_MS;
export const OUTAGE_BACKOFF_MAX_MS = MINUTE_MS;
/** A step that has not come back by then counts as a fault; the built-in agents take a second at most. */
export const STEP_TIMEOUT_MS = 30 * SECOND_MS;
/** The platform drops an alarm for good after its sixth retry. */
export const ALARM_RETRIES_MAX = 3;

/** The longest pause before a step of a built-in agent. */
export const STEP_INTERVAL_MAX_MS = DAY_MS;
export const RETENTION_DAY_MS = DAY_MS;

/** How long a call to another system may take, retries and redirects included. */
export const TOOL_TIMEOUT_DEFAULT_MS = 10 * SECOND_MS;
export const TOOL_TIMEOUT_MAX_MS = 30 * SECOND_MS;
/** The largest answer of another system, counted after it is unpacked, so that a gzip bomb ends here too. */
export const TOOL_RESPONSE_BYTES_MAX = KIB * KIB;
/** Results larger than this are stored as a file and answered with a preview. */
export const RESULT_INLINE_BYTES_MAX = 128 * KIB;
/** The beginning of an oversized result that is shown. */
export const RESULT_PREVIEW_CHARACTERS_MAX = 4 * KIB;
/** Browsers follow twenty; an API that needs more than five is lost. */
export const REDIRECTS_MAX = 5;
/** A document that describes an API. GitHub's, the largest in wide use, has 13 MB. */
export const IMPORT_BYTES_MAX = 16 * KIB * KIB;
/** Fetching such a document or listing an MCP server's tools. */
export const IMPORT_TIMEOUT_MS = 30 * SECOND_MS;
/** Servers that one tool goes to; each name is resolved before anything is stored. */
export const ORIGINS_MAX = 20;
/** GitHub's API has about 1,200 operations. */
export const CAPABILITIES_MAX = 3_000;
/** Parameters of one capability; Stripe's largest operation has about ninety. */
export const PARAMETERS_MAX = 200;
/** All parameters of one capability as JSON; those of Stripe's largest operation take a fifth of it. */
export const PARAMETERS_BYTES_MAX = 256 * KIB;
/** A page of capabilities ends early past this; a Worker holds an answer several times. */
export const CAPABILITIES_PAGE_CHARACTERS_MAX = 2 * KIB * KIB;

/** Failures in a row after which the system behind a tool is left alone. */
export const BREAKER_FAILURES_MAX = 5;
/** How long it rests at first; doubles with each probe that fails. */
export const BREAKER_OPEN_MIN_MS = 10 * SECOND_MS;
export const BREAKER_OPEN_MAX_MS = 5 * MINUTE_MS;
/** Agents that a tool's meter tracks individually; with the last calls they form one row of at most 2 MB. */
export const METER_AGENTS_MAX = 200;
/** A call that has not ended by then never will: twice the longest timeout, and some. */
export const CALL_LOST_AFTER_MS = 2 * MINUTE_MS;
/** The last calls that a tool's meter remembers one by one. */
export const RECENT_CALLS_MAX = 100;
/** Agents that a tool's usage tells apart in one day: they lie in one value, of at most 2 MB. */
export const USAGE_AGENTS_MAX = 1_000;
/** Days that a usage report can look back. */
export const USAGE_DAYS_MAX = 366;
export const USAGE_DAYS_DEFAULT = 30;

/** HTTP requests of one conversation with an MCP server; a call takes five, more are the server's questions. */
export const MCP_REQUESTS_MAX = 50;
/** How long a call waits for the MCP server to take leave, which nobody profits from but the server. */
export const MCP_SESSION_CLOSE_TIMEOUT_MS = SECOND_MS;
/** Pages of an MCP server's list of tools; servers give 50 tools a page or more. */
export const MCP_PAGES_MAX = 200;
/** What another system says of its own failure, as far as it is passed on as a reason. */
export const UPSTREAM_REASON_CHARACTERS_MAX = 500;
/** What an import takes over of a description; models read every word of it. */
export const DESCRIPTION_CHARACTERS_MAX = 2_000;
/** A safe request that met a passing fault is sent twice more; who is still ill then needs rest. */
export const HTTP_TRIES_MAX = 3;
/** The longest pause before the second try; it doubles before the third. */
export const RETRY_BACKOFF_MS = 400;
/** How much of what a system said with its "no" is told; problem documents are shorter. */
export const UPSTREAM_ERROR_BYTES_MAX = 2 * KIB;
/** JSON of another system: recursion and RPC carry this many levels with ease, and no honest API needs them. */
export const UPSTREAM_JSON_DEPTH_MAX = 100;
/** Values of one form or bracketed parameter; the library that writes them takes no hundred thousands. */
export const FORM_VALUES_MAX = 10_000;
/** Values that a JSONPath may select from one answer. */
export const SELECTED_VALUES_MAX = 10_000;

/** A secret of a tool. The longest in use are JWTs and cookies, which end at 4 KiB; a token takes two of them. */
export const SECRET_CHARACTERS_MAX = 8 * KIB;
/** A URL or identifier that describes an OAuth client. */
export const OAUTH_CLIENT_TEXT_CHARACTERS_MAX = 2 * KIB;
/** An access token is renewed this long before it expires, so that it lives through a call and skewed clocks. */
export const TOKEN_RENEWAL_MARGIN_MS = MINUTE_MS;
/** A token that says it lives longer is taken to live this long: dates have an end. */
export const TOKEN_LIFETIME_MAX_MS = 366 * DAY_MS;
/** What a token endpoint answers: a few tokens of a few KiB each. */
export const TOKEN_RESPONSE_BYTES_MAX = 64 * KIB;
/** How long a person may take over consent, from `connect` to `callback`. */
export const CONNECT_WINDOW_MS = 10 * MINUTE_MS;
/** A credential that changes under a renewal is read anew this often; each change is a person's or another renewal's. */
export const RENEWAL_ATTEMPTS_MAX = 3;

/** How long an object waits for D1, or for another object, where others wait behind it. */
export const STORE_TIMEOUT_MS = 5 * SECOND_MS;

/** One question to the DNS resolver. Public ones answer in tens of milliseconds; a call has 10 s for everything. */
export const RESOLVER_TIMEOUT_MS = 3 * SECOND_MS;
/** Room for hundreds of addresses, little enough for a full cache of them. */
export const RESOLVER_RESPONSE_BYTES_MAX = 16 * KIB;
/** Names change behind short lifetimes to slip past a check, and behind long ones they go stale. */
export const DNS_CACHE_MIN_MS = 30 * SECOND_MS;
export const DNS_CACHE_MAX_MS = 5 * MINUTE_MS;
/** Names of hosts that an isolate remembers at once. */
export const DNS_CACHE_ENTRIES_MAX = 1_000;
/** What the parameters of one import may take of a Worker's 128 MB, by a rough measure; GitHub's and Stripe's take 4 MB each. */
export const IMPORT_PARAMETERS_BYTES_MAX = 16 * KIB * KIB;

/** A waiting task rises by one priority for each of these: see `levelOf`. */
export const QUEUE_AGE_LEVEL_MS = 10 * MINUTE_MS;
/** Tasks that a queue offers a place at once; the platform lets six connections wait together. */
export const OFFERS_AT_ONCE_MAX = 6;
/** Offers that one call or alarm makes; the platform counts each as a subrequest. An alarm makes the rest. */
export const OFFERS_PER_RUN_MAX = 50;
/** A task answers an offer in milliseconds; one that is out of reach must not hold up the others. */
export const OFFER_TIMEOUT_MS = 5 * SECOND_MS;
/** How long a queue leaves a task alone that did not answer; doubles each time. */
export const OFFER_BACKOFF_MIN_MS = SECOND_MS;
export const OFFER_BACKOFF_MAX_MS = MINUTE_MS;
/** Tasks that an agent may work on at once. */
export const CONCURRENT_TASKS_MAX = 10_000;
/** How long a claim can wait for its first task; clients and proxies give up on longer ones. */
export const CLAIM_WAIT_MAX_MS = 20 * SECOND_MS;
/** How long a get_task call over MCP can wait for a status change; hosts abort longer calls. */
export const TASK_WAIT_MAX_MS = 20 * SECOND_MS;
/** Tasks that one claim can take. */
export const CLAIM_TASKS_MAX = 100;
/** Pages of stopped tasks that one call reads. The call is rejected if tasks remain unread. */
export const STOP_PAGES_MAX = 3;
/** Stopped tasks that a call reads in parallel. */
export const STOPS_AT_ONCE_MAX = 6;
export const LEASE_SECONDS_MIN = 5;
export const LEASE_SECONDS_DEFAULT = 60;
export const LEASE_SECONDS_MAX = 3_600;
/** Attempts that begin by themselves after lost leases, the first one included. */
export const AUTOMATIC_ATTEMPTS_MAX = 3;
/**
 * Events of one task. A report every two seconds for a day makes 43,200; an object reads that many in about
 * a second.
 */
export const TASK_EVENTS_MAX = 50_000;
/** Bytes of one task's log, of its object's 10 GB: room for more than a hundred contexts of maximum size. */
export const TASK_LOG_BYTES_MAX = 128 * KIB * KIB;
/**
 * A task with this many attempts cannot be retried, because a task shows each attempt with its error. Automatic
 * attempts count, but only `AUTOMATIC_ATTEMPTS_MAX` and the limits of the log stop them.
 */
export const ATTEMPTS_MAX = 100;
/** The longest pause before the second attempt; it doubles before the third. */
export const LEASE_BACKOFF_MS = SECOND_MS;
/** One turn of an agent that waits for systems elsewhere. */
export const TURN_TIMEOUT_MS = 2 * MINUTE_MS;
/** A turn that has lain in the queue of turns for so long is sent once more; the pause doubles. */
export const TURN_RESEND_MIN_MS = 20 * SECOND_MS;
export const TURN_RESEND_MAX_MS = 15 * MINUTE_MS;
/** A turn that began and was not heard of by then is lost, and is done again. */
export const TURN_LOST_AFTER_MS = TURN_TIMEOUT_MS + 30 * SECOND_MS;
/** Faults in a row, of the system behind an agent, that end the attempt. */
export const TURN_FAILURES_MAX = 5;
/** A deliverable that a worker uploads. */
export const UPLOAD_BYTES_MAX = 100 * KIB * KIB;

/** The part size of uploads of unknown length: the minimum of R2, because memory holds one part. */
export const UPLOAD_PART_BYTES = 5 * KIB * KIB;

/** What a model is told beside its task, in every turn; longer ones crowd the task out. */
export const INSTRUCTIONS_CHARACTERS_MAX = 20_000;
export const MODEL_TURNS_DEFAULT = 20;
/** Extra headers for a model's endpoint; gateways need three or four. */
export const MODEL_HEADERS_MAX = 20;
/** A turn sends the whole conversation again, so that more of them cost ever more and bring ever less. */
export const MODEL_TURNS_MAX = 100;
export const MODEL_OUTPUT_TOKENS_DEFAULT = 4_096;
/** Above what any model writes in one turn today. */
export const MODEL_OUTPUT_TOKENS_MAX = 1_000_000;
/** The dearest models take a few hundred dollars for a million tokens. */
export const TOKEN_PRICE_MAX = 1_000_000;
/** A team-bound key brings the ids of all of them into every query. */
export const TEAM_AGENTS_MAX = 1_000;

/** An agent card; the largest in use, with hundreds of skills, take a tenth of it. */
export const A2A_CARD_BYTES_MAX = 256 * KIB;
/** A card is a file; who registers an agent waits for it. */
export const A2A_CARD_TIMEOUT_MS = 10 * SECOND_MS;
/** Skills taken over from a card, and the length of each; assignment reads every one. */
export const A2A_SKILLS_MAX = 50;
export const A2A_SKILL_CHARACTERS_MAX = 100;
/** How long one turn follows a task elsewhere before it lets others have its place. */
export const A2A_TURN_DURATION_MS = 15 * SECOND_MS;
/** An agent that cannot but answer when it is done has most of a turn for it. */
export const A2A_SEND_TIMEOUT_MS = TURN_TIMEOUT_MS - 20 * SECOND_MS;
/** A stream that is taken up again begins with the task as it stands. */
export const A2A_FIRST_EVENT_TIMEOUT_MS = 5 * SECOND_MS;
/** A look at a task, or word that it is cancelled. */
export const A2A_READ_TIMEOUT_MS = 15 * SECOND_MS;
/** One answer or stream: a file of the largest size in base64. It is in memory three times for a moment. */
export const A2A_RESPONSE_BYTES_MAX = 16 * KIB * KIB;
/** Files of one outcome, the size of each, and how long those that lie elsewhere may take together. */
export const A2A_FILES_MAX = 50;
export const A2A_FILE_BYTES_MAX = 10 * KIB * KIB;
export const A2A_FILES_TIMEOUT_MS = 45 * SECOND_MS;
/** Questions and summaries of an agent, which people read. */
export const A2A_TEXT_CHARACTERS_MAX = 4_000;
/** Insights or recommendations of one outcome, and the length of each. */
export const A2A_FINDINGS_MAX = 50;
export const A2A_FINDING_CHARACTERS_MAX = 1_000;
/** Ids that agents give to tasks and contexts; UUIDs take 36 characters. */
export const A2A_ID_CHARACTERS_MAX = 500;
/** Between two looks at a task, and between two turns: short at first, then a quarter of the work's age. */
export const A2A_POLL_DELAY_MIN_MS = SECOND_MS;
export const A2A_POLL_DELAY_MAX_MS = 15 * SECOND_MS;
/** After a fault: the work's age within these bounds. */
export const A2A_RETRY_DELAY_MIN_MS = 2 * SECOND_MS;
/** The longest that an agent's `Retry-After` is heeded. */
export const A2A_RETRY_AFTER_MAX_MS = 5 * MINUTE_MS;
/** Between two words of progress that are written down: a thirtieth of the work's age, as each costs rows. */
export const A2A_PROGRESS_INTERVAL_MIN_MS = 2 * SECOND_MS;
/** However old the work, people see that it is alive; a day of chatter comes to some 300 words. */
export const A2A_PROGRESS_INTERVAL_MAX_MS = 10 * MINUTE_MS;
/** How long an agent may work on what it was last told; who has not ended by then never will, and each look costs. */
export const A2A_TASK_AGE_MAX_MS = 7 * DAY_MS;

/** What a worker shows as its lease; our own tokens take 40 characters. */
export const LEASE_TOKEN_CHARACTERS_MAX = 200;
/** A worker's summary of its work, which is one row of the log with its findings. */
export const SUMMARY_CHARACTERS_MAX = 20_000;
/** What a worker tells of its failure; each attempt of a task keeps its own. */
export const ERROR_DETAILS_BYTES_MAX = 16 * KIB;
/**
 * A built-in agent's file up to here lies in its task's log, where it costs no row, but 0.20 dollars a GB-month;
 * in R2 a file is 4.50 a million and 0.015 a GB-month. What is saved pays for three months at this size.
 */
export const INLINE_FILE_BYTES_MAX = 8 * KIB;
/** And all that one step holds, which is one row of at most 2 MB with its event; further files go to R2. */
export const INLINE_FILES_PER_STEP_BYTES_MAX = 256 * KIB;
/** The name of a deliverable, which is part of a path; the longest that file systems keep is 255 bytes. */
export const FILE_NAME_CHARACTERS_MAX = 128;
/** The media type of a deliverable, parameters included. */
export const MEDIA_TYPE_CHARACTERS_MAX = 200;
/** A look at an agent shows it without its queue when that takes longer. */
export const QUEUE_READ_TIMEOUT_MS = SECOND_MS;
/** A claim takes no further tasks past this: RPC carries 32 MiB, and a Worker holds an answer several times. */
export const CLAIM_BYTES_MAX = 8 * KIB * KIB;

/** How long an idempotency key is kept with its answer; clients retry for minutes, batch jobs overnight. */
export const IDEMPOTENCY_RETENTION_MS = DAY_MS;
/** A request that has not ended by then never will: four times the longest that any may wait for others. */
export const IDEMPOTENCY_LOCK_MAX_MS = 2 * MINUTE_MS;
/** One row of a kept answer; the platform's rows end at 2 MB. */
export const IDEMPOTENCY_ROW_CHARACTERS_MAX = KIB * KIB;

/** Each is looked at for every event; a hundred receivers are more than anybody runs. */
export const WEBHOOKS_MAX = 100;
/** Webhooks that one key can create, so that no key uses up the total limit, the only one that the root key has. */
export const WEBHOOKS_PER_KEY_MAX = 20;
/** Extra headers of a webhook; receivers need one or two. */
export const WEBHOOK_HEADERS_MAX = 20;
/** The length of a webhook's template, which is loaded with each attempt. */
export const WEBHOOK_TEMPLATE_CHARACTERS_MAX = 20_000;
/** The length of a rendered template. The largest event has several values of 64 KiB. */
export const WEBHOOK_BODY_CHARACTERS_MAX = 256 * KIB;
/** Work that rendering a template may take, in units of ten nanoseconds; one alarm renders up to forty. */
export const WEBHOOK_RENDER_UNITS_MAX = 5_000_000;
/** Slack's limit for a text object. */
export const SLACK_TEXT_CHARACTERS_MAX = 3_000;
/** Discord's limit for a message's content. */
export const DISCORD_CONTENT_CHARACTERS_MAX = 2_000;
/** Teams accepts messages of 28 KB: this many characters fit even if each is escaped or takes three bytes. */
export const TEAMS_TEXT_CHARACTERS_MAX = 5_000;
/** The bytes of a signing secret, as Standard Webhooks has them. */
export const WEBHOOK_SECRET_BYTES_MIN = 24;
export const WEBHOOK_SECRET_BYTES_MAX = 64;
/** How long a secret signs beside the one that replaced it. */
export const WEBHOOK_SECRET_OVERLAP_MS = DAY_MS;
/** Secrets that sign at once: each is a header's part, and who rotates more often in a day loses the oldest. */
export const WEBHOOK_SECRETS_MAX = 5;
/** The pauses before the attempts of one delivery, the first of ten at once: 67 h 35 min in all, 71 h with jitter. */
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
/** A pause grows by up to this part, so that receivers that failed together are not asked together. */
export const DELIVERY_JITTER_MAX = 0.05;
/** The longest that a receiver's `Retry-After` is heeded. */
export const DELIVERY_RETRY_AFTER_MAX_MS = DAY_MS;
/** What Standard Webhooks asks senders to wait at least. */
export const DELIVERY_TIMEOUT_MS = 15 * SECOND_MS;
/** How long the words of an answer are waited for once its status is there. */
export const DELIVERY_RESPONSE_BODY_TIMEOUT_MS = 2 * SECOND_MS;
/** What is kept of those words. */
export const DELIVERY_RESPONSE_CHARACTERS_MAX = 400;
/** Deliveries to one receiver at once; more would let nobody's server breathe after an outage. */
export const DELIVERIES_AT_ONCE_MAX = 5;
/** Deliveries of one alarm; the platform counts each as a subrequest. The next alarm makes the rest. */
export const DELIVERIES_PER_ALARM_MAX = 40;
/** An alarm takes on no further delivery after this, far below the 15 minutes that it may run. */
export const DELIVERIES_ALARM_MS = MINUTE_MS;
/** Deliveries that may wait; while a receiver is down, further events wait in the feed. */
export const DELIVERIES_PENDING_MAX = 10_000;
/** Events that a webhook takes from the feed at once. */
export const FEED_PAGE_EVENTS_MAX = 100;
/** Attempts of one delivery that its log keeps, the last ones: three rounds. */
export const DELIVERY_ATTEMPTS_KEPT_MAX = 30;
/** How long deliveries are kept after they came in. */
export const DELIVERY_RETENTION_MS = 30 * DAY_MS;
/** Old deliveries that one alarm deletes. */
export const DELIVERIES_PRUNED_MAX = 1_000;
/** A webhook reads the feed again this long after a change, when the feed certainly knows about it. */
export const WEBHOOK_REREAD_MS = FEED_WEBHOOKS_CACHE_MS + 30 * SECOND_MS;
/** How long a webhook waits when the registry or the feed is out of reach; doubles each time. */
export const WEBHOOK_BACKOFF_MIN_MS = SECOND_MS;
export const WEBHOOK_BACKOFF_MAX_MS = 5 * MINUTE_MS;

/** Capabilities on one page of the MCP door's list. Not every client asks for a second page, and few models can tell so many tools apart. */
export const MCP_TOOLS_PAGE_MAX = 500;

/** The id of a message of A2A: with its prefix it is an idempotency key. */
export const A2A_MESSAGE_ID_CHARACTERS_MAX = 250;
/** Parts of one message; files that belong together come in one table or object. */
export const A2A_MESSAGE_PARTS_MAX = 100;
/** How long a message is waited upon that does not ask for an answer at once; proxies give up soon after. */
export const A2A_BLOCKING_SEND_MS = MINUTE_MS;
/** Events that one look at a task asks its log for, of those that tell its course: nearly always all. */
export const A2A_EVENTS_PAGE_MAX = 1_000;
/** Tasks that are looked at for one page of what only their logs tell; then the page is short, and the next goes on. */
export const A2A_LIST_EXAMINED_MAX = 200;
/** Logs of tasks that one list holds at once: each can have some MB. */
export const A2A_LIST_LOGS_CONCURRENT_MAX = 8;
/** Push notification configurations of one task: a client needs one. */
export const A2A_PUSH_CONFIGS_MAX = 10;
/** How long a client may keep the agent card; agents come and go slowly. */
export const A2A_CARD_AGE_SECONDS_MAX = 300;
