import { TURN_TIMEOUT_MS } from "../../tasks/limits.ts";

/** The limits of one turn and of a whole attempt, each with its reason. */

const KIB = 1024;

/** A model that has not answered by then will not within the turn, whose tools need time too. */
export const LLM_REQUEST_TIMEOUT_MS = 90_000;
/** The model and its tools together: less than a turn has, so that what has come of it is still told. */
export const LLM_TURN_TIMEOUT_MS = TURN_TIMEOUT_MS - 10_000;
/** What one answer may hold. */
export const LLM_RESPONSE_BYTES_MAX = 4 * KIB * KIB;
/** The same on the wire, where a stream puts up to 300 bytes around each token: room for 50,000. */
export const LLM_STREAM_BYTES_MAX = 16 * KIB * KIB;

/** Function tools that a model is shown; with more it chooses badly, and providers stop at 128. */
export const LLM_FUNCTIONS_MAX = 100;
/** All of their schemas together: some 60,000 tokens, sent again with each turn. */
export const LLM_FUNCTIONS_BYTES_MAX = 256 * KIB;
/** Providers refuse descriptions of functions that are longer. */
export const LLM_FUNCTION_DESCRIPTION_CHARACTERS_MAX = 1_024;
/** Capabilities that one search shows. */
export const LLM_SEARCH_RESULTS_MAX = 10;

/** A task's context as it is shown; a model can hand on a whole value without having read it. */
export const LLM_PROMPT_CONTEXT_BYTES_MAX = 64 * KIB;
export const LLM_PROMPT_VALUE_BYTES_MAX = 24 * KIB;

/** Calls that one answer may ask for. */
export const LLM_CALLS_PER_TURN_MAX = 16;
/** Calls under way at once: a Worker holds six connections, and the turn's own report needs one. */
export const LLM_CONCURRENT_CALLS_MAX = 4;
/** One tool's result as the model sees it, and as it lies in the task's log. */
export const LLM_CALL_RESULT_BYTES_MAX = 16 * KIB;
/** Results, and arguments, of one turn together, so that its row in the log stays below 256 KiB. */
export const LLM_TURN_RESULTS_BYTES_MAX = 128 * KIB;
export const LLM_TURN_ARGUMENTS_BYTES_MAX = 48 * KIB;
export const LLM_CALL_ARGUMENTS_BYTES_MAX = 8 * KIB;
export const LLM_TEXT_BYTES_MAX = 32 * KIB;
export const LLM_REASONING_BYTES_MAX = 16 * KIB;
/** Some providers sign a call, and want their signature back with it. */
export const LLM_SIGNATURE_CHARACTERS_MAX = 8 * KIB;
/** All turns of an attempt; beyond it a turn costs more than it brings. */
export const LLM_TRANSCRIPT_BYTES_MAX = 512 * KIB;

/** Calls in a row that no function could take. */
export const LLM_INVALID_CALLS_MAX = 5;
/** The same call in so many turns in a row is a loop. */
export const LLM_LOOP_TURNS = 3;
/** With room for fewer tokens not even a small call fits. */
export const LLM_OUTPUT_TOKENS_MIN = 64;

/** A file that a model writes; its output limit ends most of them far sooner. */
export const LLM_FILE_BYTES_MAX = KIB * KIB;
export const LLM_FILES_MAX = 50;

/** How long to leave an ill endpoint alone when it does not say, and at most. */
export const LLM_RETRY_DELAY_MS = 5_000;
export const LLM_RATE_LIMIT_DELAY_MS = 20_000;
export const LLM_RETRY_AFTER_MAX_MS = 600_000;
