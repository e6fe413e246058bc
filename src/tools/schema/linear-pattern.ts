import type { SpendUnits } from "./work-limit.ts";
import { RE2JS } from "re2js";
import { preview, fail, ok, type Result } from "../../kernel/result.ts";

/** A regular expression whose test takes time linear in the length of the text. */
export interface LinearPattern {
  readonly test: (text: string) => boolean;
}

const SOURCE_CHARACTERS_MAX = 1_000;
// Measured at worst: 16 ns to run an instruction on a character, 4 µs to compile an instruction.
const STEPS_PER_UNIT = 100;
const UNITS_PER_INSTRUCTION = 4;

const NAMED_REFERENCE = /(?:^|[^\\])(?:\\\\)*\\k</;
// A token to keep, or a dot: the dot of RE2 matches a carriage return.
const TOKEN = /\\.|\[(?:\\.|[^\]\\])*\]|\./gsu;

/** Compiles an ECMAScript pattern with RE2, which cannot backtrack forever. Compiling and each test spend work. */
export function compileLinearPattern(
  source: string,
  spend: SpendUnits,
): Result<LinearPattern, string> {
  if (source.length > SOURCE_CHARACTERS_MAX) {
    return fail(`must be a pattern of at most ${SOURCE_CHARACTERS_MAX} characters`);
  }
  let compiled: RE2JS;
  try {
    // RE2 treats a named backreference as text.
    if (NAMED_REFERENCE.test(source)) throw new SyntaxError("a backreference");
    const dotted = source.replace(TOKEN, (token) => (token === "." ? "[^\\n\\r]" : token));
    compiled = RE2JS.compile(RE2JS.translateRegExp(dotted));
  } catch {
    const message = `must be a pattern that RE2 can run (no lookaround or backreferences), got ${preview(source)}`;
    return fail(message);
  }
  const stepsPerCharacter = compiled.programSize();
  spend(stepsPerCharacter * UNITS_PER_INSTRUCTION);
  return ok({
    test(text) {
      spend(1 + (text.length * stepsPerCharacter) / STEPS_PER_UNIT);
      return compiled.test(text);
    },
  });
}

/** Runs `work`, which is synchronous, with linear-time patterns as `new RegExp`: the validator takes no others. */
export function runWithLinearPatterns<Value>(
  patterns: ReadonlyMap<string, LinearPattern>,
  spend: SpendUnits,
  work: () => Value,
): Value {
  const native = globalThis.RegExp;
  globalThis.RegExp = new Proxy(native, {
    construct(target, given: unknown[]) {
      const source = String(given[0]);
      const known = patterns.get(source);
      if (known !== undefined) return known;
      // The "regex" format checks only whether a text is a pattern.
      Reflect.construct(target, given);
      return { test: (text: string) => compileUnknownPattern(source, spend).test(text) };
    },
  });
  try {
    return work();
  } finally {
    globalThis.RegExp = native;
  }
}

function compileUnknownPattern(source: string, spend: SpendUnits): LinearPattern {
  const pattern = compileLinearPattern(source, spend);
  if (!pattern.ok) throw new TypeError(`a pattern ${pattern.failure}`);
  return pattern.value;
}
