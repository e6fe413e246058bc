import type { FailedTest, Outcome } from "./run-tests.ts";

/** The result for a mutant: the failed test that detected it, or the reason why none did. */
export type Verdict =
  | { readonly isCaught: true; readonly by: FailedTest }
  | { readonly isCaught: false; readonly why: string };

/** Failed assertions, including those of `expect(…).rejects` and `expect(…).resolves`. */
const ASSERTION = /^(?:AssertionError\b|Error: promise (?:resolved|rejected) )/;
const PROPERTY_FAILURE = /^Error: Property failed after /;
/** Errors thrown by a test itself, not by its setup. Vitest's timeout errors look the same but do not count. */
const OWN_ERROR = /^Error: (?!(?:Test|Hook) timed out)[^]*?\n\s+at [^\n]*\/test\/(?!support\/)/;
const FIRST_FRAME = /^[^]*?\n\s+at [^\n]*/;

export function verdictOf({ passed, failed, error }: Outcome): Verdict {
  const by = failed.find(isDetection);
  if (by !== undefined) return { isCaught: true, by };
  const [first] = failed;
  if (first !== undefined) {
    const [line = ""] = first.message.split("\n");
    return {
      isCaught: false,
      why: `no assertion failed, but "${first.name}" threw an error: ${line}`,
    };
  }
  const ran = [...passed.values()].reduce((sum, count) => sum + count, 0);
  const why = ran === 0 ? "no test ran; `only` must match a title" : "every test passed";
  return { isCaught: false, why: error ?? why };
}

/**
 * Failed assertions, failed properties and errors that the test itself throws count as a detection. Timeouts and other
 * errors do not.
 */
function isDetection({ message }: FailedTest): boolean {
  const [beginning = message] = FIRST_FRAME.exec(message) ?? [];
  return ASSERTION.test(message) || PROPERTY_FAILURE.test(message) || OWN_ERROR.test(beginning);
}
