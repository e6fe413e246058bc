import { KIB } from "../../kernel/units.ts";
import { TURN_TIMEOUT_MS } from "../../tasks/limits.ts";

/** The limits of one turn and of a whole attempt, each with its reason. */

/** The time for one response; the rest of the turn is for tools. */
export const LLM_REQUEST_TIMEOUT_MS = 90_000;
/** The model and its tools together; the rest of the turn is for reporting the outcome. */
export const LLM_TURN_TIMEOUT_MS = TURN_TIMEOUT_MS - 10_000;
/** The content of one response. */
export const LLM_RESPONSE_BYTES_MAX = 4 * KIB * KIB;
/** The same as a stream, which adds up to 300 bytes to each token: room for 50,000 tokens. */
export const LLM_STREAM_BYTES_MAX = 16 * KIB * KIB;

/** Functions offered to a model: with more it chooses badly, and providers allow 128. */
export const LLM_FUNCTIONS_MAX = 100;
/** All schemas together: about 60,000 tokens, sent with each turn. */
export const LLM_FUNCTIONS_BYTES_MAX = 256 * KIB;
/** Providers reject longer function descriptions. */
export const LLM_FUNCTION_DESCRIPTION_CHARACTERS_MAX = 1_024;
/** Results of one search. */
export const LLM_SEARCH_RESULTS_MAX = 10;

/** A task's context in the prompt; a model can pass on a whole value without having seen it. */
export const LLM_PROMPT_CONTEXT_BYTES_MAX = 64 * KIB;
export const LLM_PROMPT_VALUE_BYTES_MAX = 24 * KIB;

/** Calls of one response. */
export const LLM_CALLS_PER_TURN_MAX = 16;
/** Concurrent calls: a Worker has six connections, and the report of the turn needs one. */
export const LLM_CONCURRENT_CALLS_MAX = 4;
/** One tool's result in the prompt and in the task's log. */
export const LLM_CALL_RESULT_BYTES_MAX = 16 * KIB;
/** Results, and arguments, of one turn together, so that its row in the log stays below 256 KiB. */
export const LLM_TURN_RESULTS_BYTES_MAX = 128 * KIB;
export const LLM_TURN_ARGUMENTS_BYTES_MAX = 48 * KIB;
export const LLM_CALL_ARGUMENTS_BYTES_MAX = 8 * KIB;
export const LLM_TEXT_BYTES_MAX = 32 * KIB;
export const LLM_REASONING_BYTES_MAX = 16 * KIB;
/** Some providers sign a call and require the signature in later requests. */
export const LLM_SIGNATURE_CHARACTERS_MAX = 8 * KIB;
/** All turns of an attempt; beyond this a turn costs too much. */
export const LLM_TRANSCRIPT_BYTES_MAX = 512 * KIB;

/** Consecutive invalid calls. */
export const LLM_INVALID_CALLS_MAX = 5;
/** The same call in this many consecutive turns is a loop. */
export const LLM_LOOP_TURNS = 3;
/** A small call does not fit into fewer tokens. */
export const LLM_OUTPUT_TOKENS_MIN = 64;

/** A file that a model writes; most are limited by its output tokens. */
export const LLM_FILE_BYTES_MAX = KIB * KIB;
export const LLM_FILES_MAX = 50;

/** Delays before a retry: default, after a rate limit, and the longest `Retry-After`. */
export const LLM_RETRY_DELAY_MS = 5_000;
export const LLM_RATE_LIMIT_DELAY_MS = 20_000;
export const LLM_RETRY_AFTER_MAX_MS = 600_000;
