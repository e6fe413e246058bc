import { linearPattern, type LinearPattern } from "./linear-pattern.ts";
import type { Spend } from "./work.ts";

/**
 * Runs `work` with linear-time patterns behind `new RegExp`. The validator makes its patterns with
 * that name and offers no other way in; `work` is one synchronous call, so nothing else can see it.
 */
export function withLinearPatterns<Value>(
  patterns: ReadonlyMap<string, LinearPattern>,
  spend: Spend,
  work: () => Value,
): Value {
  const native = globalThis.RegExp;
  globalThis.RegExp = new Proxy(native, {
    construct(target, given: unknown[]) {
      const source = String(given[0]);
      const known = patterns.get(source);
      if (known !== undefined) return known;
      // The "regex" format only wants to know whether a text is a pattern; it does not run it.
      Reflect.construct(target, given);
      return { test: (text: string) => unforeseen(source, spend).test(text) };
    },
  });
  try {
    return work();
  } finally {
    globalThis.RegExp = native;
  }
}

function unforeseen(source: string, spend: Spend): LinearPattern {
  const pattern = linearPattern(source, spend);
  if (!pattern.ok) throw new TypeError(`a pattern ${pattern.failure}`);
  return pattern.value;
}
