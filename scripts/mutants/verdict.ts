import type { FailedTest, Outcome } from "./run-tests.ts";

/** What became of a mutant: caught by a test that says what is wrong, or not. */
export type Verdict =
  | { readonly isCaught: true; readonly by: FailedTest }
  | { readonly isCaught: false; readonly why: string };

/** `rejects` and `resolves` of expect have words of their own. */
const ASSERTION = /^(?:AssertionError\b|Error: promise (?:resolved|rejected) )/;
const LAW = /^Error: Property failed after /;
/** What a test throws itself, and not its set-up; the runner's word that time is up comes from the same place. */
const OWN_ERROR = /^Error: (?!(?:Test|Hook) timed out)[^]*?\n\s+at [^\n]*\/test\/(?!support\/)/;
const FIRST_FRAME = /^[^]*?\n\s+at [^\n]*/;

export function verdictOn({ failed, trouble }: Outcome): Verdict {
  const by = failed.find(saysWhatIsWrong);
  if (by !== undefined) return { isCaught: true, by };
  const [first] = failed;
  if (first !== undefined) {
    const [line = ""] = first.message.split("\n");
    return { isCaught: false, why: `no assertion failed, but "${first.name}" broke down: ${line}` };
  }
  return { isCaught: false, why: trouble ?? "every test passed" };
}

/** A test that breaks down, or waits in vain, has noticed nothing. */
function saysWhatIsWrong({ message }: FailedTest): boolean {
  const [beginning = message] = FIRST_FRAME.exec(message) ?? [];
  return ASSERTION.test(message) || LAW.test(message) || OWN_ERROR.test(beginning);
}
