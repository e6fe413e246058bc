import { MINUTE_MS } from "../../kernel/units.ts";

/** A message id; with its prefix it is an idempotency key. */
export const A2A_MESSAGE_ID_CHARACTERS_MAX = 250;

/** Parts of one message. */
export const A2A_MESSAGE_PARTS_MAX = 100;

/** How long a blocking SendMessage waits; proxies time out soon after. */
export const A2A_BLOCKING_SEND_MS = MINUTE_MS;

/** Events of one read of a log: nearly always all. */
export const A2A_EVENTS_PAGE_MAX = 1_000;

/** Logs that are read for one page; a page that would need more is short. */
export const A2A_LIST_EXAMINED_MAX = 200;

/** Logs in memory at the same time; each can take several MB. */
export const A2A_LIST_LOGS_CONCURRENT_MAX = 8;

/** Push notification configurations of one task: a client needs one. */
export const A2A_PUSH_CONFIGS_MAX = 10;

/** How long clients may cache the agent card. */
export const A2A_CARD_AGE_SECONDS_MAX = 300;
