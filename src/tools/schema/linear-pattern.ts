import { RE2JS } from "re2js";
import { preview, fail, ok, type Result } from "../../kernel/result.ts";

export const SOURCE_CHARACTERS_MAX = 1_000;

const NAMED_REFERENCE = /(?:^|[^\\])(?:\\\\)*\\k</;
// Matches a token to keep, or a dot. A dot in RE2 also matches a carriage return.
const TOKEN = /\\.|\[(?:\\.|[^\]\\])*\]|\./gsu;

/** Compiles an ECMAScript pattern with RE2, which matches in time linear in the length of the text. */
export function compileLinearPattern(source: string): Result<RE2JS, string> {
  if (source.length > SOURCE_CHARACTERS_MAX) {
    return fail(`must be a pattern of at most ${SOURCE_CHARACTERS_MAX} characters`);
  }
  try {
    // RE2 treats a named backreference as literal text.
    if (NAMED_REFERENCE.test(source)) throw new SyntaxError("a backreference");
    const dotted = source.replace(TOKEN, (token) => (token === "." ? "[^\\n\\r]" : token));
    return ok(RE2JS.compile(RE2JS.translateRegExp(dotted)));
  } catch {
    const message = `must be a pattern that RE2 supports (no lookaround or backreferences), got ${preview(source)}`;
    return fail(message);
  }
}
