export const USER_AGENT_CHARACTERS_MAX = 200;

/** How often a change is attempted while other changes take the next number in the log. */
export const AUDIT_ATTEMPTS_MAX = 14;
/** The average wait doubles with each attempt, from the first of these values to the second. */
export const AUDIT_RETRY_MS = { first: 20, max: 1_500 };

/** How many expired rows a change deletes. */
export const EXPIRED_ROWS_MAX = 100;
export const AUDIT_RETENTION_DAYS_MAX = 36_500;

/** How many rows one request verifies. */
export const VERIFIED_ROWS_MAX = 10_000;
/** How many rows are read at once for a verification or an export. */
export const CHAIN_PAGE_ROWS = 500;

/** How many denied calls an isolate keeps until they are recorded, and how many it records in one transaction. */
export const DENIALS_QUEUED_MAX = 500;
export const DENIALS_PER_BATCH_MAX = 25;
