import * as z from "zod";
import {
  NAME_CACHE_ENTRIES_MAX,
  NAME_CACHE_MAX_MS,
  NAME_CACHE_MIN_MS,
  RESOLVER_ANSWER_BYTES_MAX,
  RESOLVER_TIMEOUT_MS,
} from "../domain/limits.ts";
import { fail, ok, type Result } from "../domain/result.ts";
import { boundedBody, discard, readWhole } from "./body.ts";
import { EgressError } from "./contract.ts";
import { startDeadline } from "./deadline.ts";

/** Addresses and what leads to them, by their numbers in RFC 1035 and RFC 3596. */
const RECORDS = { A: 1, AAAA: 28 } as const;
const NO_ERROR = 0;
const NO_SUCH_NAME = 3;

/** The JSON that Cloudflare and Google answer DNS over HTTPS with; a chain of CNAMEs comes resolved. */
const rowSchema = z.object({
  type: z.number(),
  TTL: z.number().nonnegative(),
  data: z.string(),
});
const answerSchema = z.object({ Status: z.number(), Answer: z.array(rowSchema).nullish() });
type Row = z.infer<typeof rowSchema>;

interface Known {
  readonly addresses: readonly string[];
  readonly until: number;
}

/** Of this isolate, by resolver and name; the oldest goes first. */
const known = new Map<string, Known>();

/**
 * The IPv4 and IPv6 addresses of a name, none when there is no such name. The failure says what is
 * wrong with the resolver, without which nobody can tell where a request would go.
 */
export async function addressesOf(
  name: string,
  resolverUrl: string,
  caller: AbortSignal | null,
): Promise<Result<readonly string[], string>> {
  const key = `${resolverUrl} ${name}`;
  const remembered = known.get(key);
  if (remembered !== undefined && Date.now() < remembered.until) return ok(remembered.addresses);
  const questions = [ask(resolverUrl, name, "A", caller), ask(resolverUrl, name, "AAAA", caller)];
  const found: Row[] = [];
  for (const rows of await Promise.all(questions)) {
    if (!rows.ok) return rows;
    found.push(...rows.value);
  }
  const addresses = found.filter(isAddress).map(({ data }) => data);
  remember(key, addresses, found);
  return ok(addresses);
}

async function ask(
  resolverUrl: string,
  name: string,
  type: keyof typeof RECORDS,
  caller: AbortSignal | null,
): Promise<Result<readonly Row[], string>> {
  const deadline = startDeadline(RESOLVER_TIMEOUT_MS, RESOLVER_TIMEOUT_MS, caller);
  try {
    const url = new URL(resolverUrl);
    url.searchParams.set("name", name);
    url.searchParams.set("type", type);
    const response = await fetch(url, {
      headers: { Accept: "application/dns-json" },
      redirect: "manual",
      signal: deadline.signal,
    });
    if (response.status !== 200 || response.body === null) {
      discard(response.body);
      return fail(`the DNS resolver answered with the status ${response.status}`);
    }
    const bytes = await readWhole(boundedBody(response.body, RESOLVER_ANSWER_BYTES_MAX, deadline));
    return understand(new TextDecoder().decode(bytes));
  } catch (error) {
    if (error instanceof SyntaxError) return fail("the DNS resolver's answer is not JSON");
    if (deadline.fault()?.kind === "timeout") {
      return fail(`the DNS resolver did not answer within ${RESOLVER_TIMEOUT_MS} ms`);
    }
    const tooLarge = error instanceof EgressError && error.fault.kind === "too_large";
    return fail(tooLarge ? "the DNS resolver answers too much" : "the DNS resolver is unreachable");
  } finally {
    deadline.clear();
  }
}

/** Throws SyntaxError for what is not JSON. */
function understand(text: string): Result<readonly Row[], string> {
  const answer = answerSchema.safeParse(JSON.parse(text));
  if (!answer.success) return fail("the DNS resolver's answer is not one of DNS over HTTPS");
  const { Status: status } = answer.data;
  if (status === NO_ERROR || status === NO_SUCH_NAME) return ok(answer.data.Answer ?? []);
  return fail(`the DNS resolver answered with the code ${status}`);
}

function isAddress({ type }: Row): boolean {
  return type === RECORDS.A || type === RECORDS.AAAA;
}

function remember(key: string, addresses: readonly string[], rows: readonly Row[]): void {
  const ttlMs = Math.min(NAME_CACHE_MAX_MS, ...rows.map(({ TTL }) => TTL * 1_000));
  const keptMs = addresses.length === 0 ? NAME_CACHE_MIN_MS : Math.max(NAME_CACHE_MIN_MS, ttlMs);
  known.delete(key);
  const [oldest] = known.keys();
  if (known.size >= NAME_CACHE_ENTRIES_MAX && oldest !== undefined) known.delete(oldest);
  known.set(key, { addresses, until: Date.now() + keptMs });
}
