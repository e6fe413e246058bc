import { MINUTE_MS } from "../../kernel/units.ts";

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
