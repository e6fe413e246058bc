import * as z from "zod";
import {
  DNS_CACHE_ENTRIES_MAX,
  DNS_CACHE_MAX_MS,
  DNS_CACHE_MIN_MS,
  RESOLVER_RESPONSE_BYTES_MAX,
  RESOLVER_TIMEOUT_MS,
} from "../limits.ts";
import { fail, ok, type Result } from "../../kernel/result.ts";
import { limitBody, discardBody, readAllBytes } from "./body.ts";
import { EgressError } from "./contract.ts";
import { startTimeout } from "./request-timeout.ts";
import { TtlCache } from "../ttl-cache.ts";

/** The record types for addresses (RFC 1035, RFC 3596). */
const RECORD_TYPES = { A: 1, AAAA: 28 } as const;
const NO_ERROR = 0;
const NO_SUCH_NAME = 3;

/** A record in the JSON that Cloudflare and Google return for DNS over HTTPS. CNAME chains are already resolved. */
const rowSchema = z.object({
  type: z.number(),
  TTL: z.number().nonnegative(),
  data: z.string(),
});
const answerSchema = z.object({ Status: z.number(), Answer: z.array(rowSchema).nullish() });
type DnsRecord = z.infer<typeof rowSchema>;

/** Addresses by resolver and name. */
const addressCache = new TtlCache<readonly string[]>(DNS_CACHE_MAX_MS, DNS_CACHE_ENTRIES_MAX);

/** The IPv4 and IPv6 addresses of a name; empty if it has none. The failure is the resolver's error. */
export async function resolveAddresses(
  name: string,
  resolverUrl: string,
  caller: AbortSignal | null,
): Promise<Result<readonly string[], string>> {
  const key = `${resolverUrl} ${name}`;
  const cached = addressCache.get(key, Date.now());
  if (cached !== undefined) return ok(cached);
  const questions = [
    queryDns(resolverUrl, name, "A", caller),
    queryDns(resolverUrl, name, "AAAA", caller),
  ];
  const found: DnsRecord[] = [];
  for (const rows of await Promise.all(questions)) {
    if (!rows.ok) return rows;
    found.push(...rows.value);
  }
  const addresses = found.filter(isAddressRecord).map(({ data }) => data);
  const recordTtlMs = Math.min(DNS_CACHE_MAX_MS, ...found.map(({ TTL }) => TTL * 1_000));
  const ttlMs = addresses.length === 0 ? DNS_CACHE_MIN_MS : Math.max(DNS_CACHE_MIN_MS, recordTtlMs);
  addressCache.set(key, addresses, Date.now(), ttlMs);
  return ok(addresses);
}

async function queryDns(
  resolverUrl: string,
  name: string,
  type: keyof typeof RECORD_TYPES,
  caller: AbortSignal | null,
): Promise<Result<readonly DnsRecord[], string>> {
  const deadline = startTimeout(RESOLVER_TIMEOUT_MS, RESOLVER_TIMEOUT_MS, caller);
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
      discardBody(response.body);
      return fail(`the DNS resolver returned status ${response.status}`);
    }
    const bytes = await readAllBytes(
      limitBody(response.body, RESOLVER_RESPONSE_BYTES_MAX, deadline),
    );
    return parseDnsAnswer(new TextDecoder().decode(bytes));
  } catch (error) {
    if (error instanceof SyntaxError) return fail("the DNS resolver's response is not JSON");
    if (deadline.failure()?.kind === "timeout") {
      return fail(`the DNS resolver did not respond within ${RESOLVER_TIMEOUT_MS} ms`);
    }
    const tooLarge = error instanceof EgressError && error.failure.kind === "too_large";
    return fail(
      tooLarge ? "the DNS resolver's response is too large" : "the DNS resolver is unreachable",
    );
  } finally {
    deadline.clear();
  }
}

/** Throws SyntaxError for invalid JSON. */
function parseDnsAnswer(text: string): Result<readonly DnsRecord[], string> {
  const answer = answerSchema.safeParse(JSON.parse(text));
  if (!answer.success) return fail("the DNS resolver's response is not valid DNS over HTTPS");
  const { Status: status } = answer.data;
  if (status === NO_ERROR || status === NO_SUCH_NAME) return ok(answer.data.Answer ?? []);
  return fail(`the DNS resolver returned code ${status}`);
}

function isAddressRecord({ type }: DnsRecord): boolean {
  return type === RECORD_TYPES.A || type === RECORD_TYPES.AAAA;
}
