import type { IfMatch } from "../domain/entity-tag.ts";
import { invalid, type Failure } from "../domain/failure.ts";
import { shown } from "../domain/problem.ts";
import { fail, ok, type Result } from "../domain/result.ts";

const TAG = String.raw`(?:W/)?"[\x21\x23-\x7e\x80-\xff]*"`;
const TAGS = new RegExp(String.raw`^${TAG}(?:[ \t]*,[ \t]*${TAG})*$`);

/**
 * The `If-Match` of a request (RFC 9110), null for any version. A tag may come back as a weak one:
 * proxies that compress an answer, Cloudflare's among them, weaken its tag on the way.
 */
export function readIfMatch(headers: Headers): Result<IfMatch, Failure> {
  const given = headers.get("If-Match");
  if (given === null || given === "*") return ok(null);
  if (TAGS.test(given)) {
    return ok([...given.matchAll(/"([^"]*)"/g)].map(([, opaque = ""]) => opaque));
  }
  const rule = 'must be * or a list of entity tags with their quotes, such as "7"';
  return fail(invalid("If-Match", `${rule}, got ${shown(given)}`));
}
