import { DAY_MS, KIB, MINUTE_MS, SECOND_MS } from "../../kernel/units.ts";
import { TURN_TIMEOUT_MS } from "../../tasks/limits.ts";

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
