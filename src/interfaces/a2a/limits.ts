import { MINUTE_MS } from "../../kernel/units.ts";

/** The maximum length of a message id. With a prefix, the id must fit into an idempotency key. */
export const A2A_MESSAGE_ID_CHARACTERS_MAX = 250;

/** The maximum number of parts per message. */
export const A2A_MESSAGE_PARTS_MAX = 100;

/** The maximum time that a blocking SendMessage waits. Many proxies time out soon after. */
export const A2A_BLOCKING_SEND_MS = MINUTE_MS;

/** The maximum number of events per read of a task's log. Nearly every log fits into one read. */
export const A2A_EVENTS_PAGE_MAX = 1_000;

/** The maximum number of tasks examined for a page of ListTasks. A page that would need more contains fewer tasks. */
export const A2A_LIST_EXAMINED_MAX = 200;

/** The maximum number of task logs in memory at the same time. Each can take several megabytes. */
export const A2A_LIST_LOGS_CONCURRENT_MAX = 8;

/** The maximum number of push notification configurations per task. A client needs only one. */
export const A2A_PUSH_CONFIGS_MAX = 10;

/** How long clients may cache the agent card. */
export const A2A_CARD_AGE_SECONDS_MAX = 300;
