import { DAY_MS, KIB, SECOND_MS } from "../../kernel/units.ts";
import { TURN_TIMEOUT_MS } from "../../tasks/limits.ts";

/** The maximum size of an agent card. The largest cards in use, with hundreds of skills, are a tenth of this size. */
export const A2A_CARD_BYTES_MAX = 256 * KIB;
/** A card is a small file, and the client that registers the agent waits for it. */
export const A2A_CARD_TIMEOUT_MS = 10 * SECOND_MS;
/** The maximum number of skills copied from a card, and the maximum length of each. Assignment reads all of them. */
export const A2A_SKILLS_MAX = 50;
export const A2A_SKILL_CHARACTERS_MAX = 100;

/** How long one turn follows a remote task before it frees its place in the queue. */
export const A2A_TURN_DURATION_MS = 15 * SECOND_MS;
/** An agent that responds only when it is done has most of a turn to do its work. */
export const A2A_SEND_TIMEOUT_MS = TURN_TIMEOUT_MS - 20 * SECOND_MS;
/** A resumed stream immediately sends the current task. */
export const A2A_FIRST_EVENT_TIMEOUT_MS = 5 * SECOND_MS;
/** The timeout for a poll or a cancel request. */
export const A2A_READ_TIMEOUT_MS = 15 * SECOND_MS;

/**
 * The maximum size of one response or stream, enough for the largest file in base64. A response is briefly held in
 * memory three times.
 */
export const A2A_RESPONSE_BYTES_MAX = 16 * KIB * KIB;
/**
 * The maximum number of files in one outcome, the maximum size of each, and the time limit for fetching all of them.
 */
export const A2A_FILES_MAX = 50;
export const A2A_FILE_BYTES_MAX = 10 * KIB * KIB;
export const A2A_FILES_TIMEOUT_MS = 45 * SECOND_MS;

/** The maximum length of an agent's questions and summaries. */
export const A2A_TEXT_CHARACTERS_MAX = 4_000;
/** The maximum number of insights or recommendations in one outcome, and the maximum length of each. */
export const A2A_FINDINGS_MAX = 50;
export const A2A_FINDING_CHARACTERS_MAX = 1_000;
/** The maximum length of remote task and context ids. UUIDs have 36 characters. */
export const A2A_ID_CHARACTERS_MAX = 500;

/** How long an agent may work after the last message to it. Later results are unlikely, and each poll costs money. */
export const A2A_TASK_AGE_MAX_MS = 7 * DAY_MS;
