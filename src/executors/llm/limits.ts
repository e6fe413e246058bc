import { KIB } from "../../kernel/units.ts";
import { TURN_TIMEOUT_MS } from "../../tasks/limits.ts";

/** Limits for one turn and for a whole attempt. */

/** The time for one response; the rest of the turn is for tools. */
export const LLM_REQUEST_TIMEOUT_MS = 90_000;
/** The time for the model and its tools together; the rest of the turn is for reporting the outcome. */
export const LLM_TURN_TIMEOUT_MS = TURN_TIMEOUT_MS - 10_000;
/** The maximum size of the content of one response. */
export const LLM_RESPONSE_BYTES_MAX = 4 * KIB * KIB;
/**
 * The maximum size of a streamed response. Streams add up to 300 bytes per token, so this allows at least 50,000
 * tokens.
 */
export const LLM_STREAM_BYTES_MAX = 16 * KIB * KIB;

/** Functions offered to a model. With more, models choose badly, and providers allow at most 128. */
export const LLM_FUNCTIONS_MAX = 100;
/** All function schemas together. This is about 65,000 tokens, which are sent with each turn. */
export const LLM_FUNCTIONS_BYTES_MAX = 256 * KIB;
/** Providers reject longer function descriptions. */
export const LLM_FUNCTION_DESCRIPTION_CHARACTERS_MAX = 1_024;
/** Results per search. */
export const LLM_SEARCH_RESULTS_MAX = 10;

/** The task's context in the prompt. A model can pass a value to a function without seeing all of it. */
export const LLM_PROMPT_CONTEXT_BYTES_MAX = 64 * KIB;
export const LLM_PROMPT_VALUE_BYTES_MAX = 24 * KIB;

/** Calls per response. */
export const LLM_CALLS_PER_TURN_MAX = 16;
/** Concurrent calls. A Worker has six connections, and reporting the turn needs one of them. */
export const LLM_CONCURRENT_CALLS_MAX = 4;
/** One tool's result in the prompt and in the task's log. */
export const LLM_CALL_RESULT_BYTES_MAX = 16 * KIB;
/** All results and all arguments of one turn. These limits keep the turn's row in the log small. */
export const LLM_TURN_RESULTS_BYTES_MAX = 128 * KIB;
export const LLM_TURN_ARGUMENTS_BYTES_MAX = 48 * KIB;
export const LLM_CALL_ARGUMENTS_BYTES_MAX = 8 * KIB;
export const LLM_TEXT_BYTES_MAX = 32 * KIB;
export const LLM_REASONING_BYTES_MAX = 16 * KIB;
/** Some providers sign a call and require the signature in later requests. */
export const LLM_SIGNATURE_CHARACTERS_MAX = 8 * KIB;
/** All turns of an attempt. With a longer transcript, each turn would cost too much. */
export const LLM_TRANSCRIPT_BYTES_MAX = 512 * KIB;

/** Consecutive invalid calls. */
export const LLM_INVALID_CALLS_MAX = 5;
/** The same call in this many consecutive turns is a loop. */
export const LLM_LOOP_TURNS = 3;
/** Even a small call does not fit into fewer tokens. */
export const LLM_OUTPUT_TOKENS_MIN = 64;

/** A file that a model writes. Most files are limited by the model's output tokens instead. */
export const LLM_FILE_BYTES_MAX = KIB * KIB;
export const LLM_FILES_MAX = 50;

/** Delays before a retry: the default, the delay after a rate limit, and the longest `Retry-After`. */
export const LLM_RETRY_DELAY_MS = 5_000;
export const LLM_RATE_LIMIT_DELAY_MS = 20_000;
export const LLM_RETRY_AFTER_MAX_MS = 600_000;
