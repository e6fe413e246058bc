import { env } from "cloudflare:workers";

/** Shorter strings can occur in text by chance, so they are not treated as secrets. */
const CHARACTERS_MIN = 14;

/**
 * The maximum amount of text kept for a second scan. Once it is exceeded, the second scan runs
 * immediately.
 */
const KEPT_CHARACTERS_MAX = 4_000_000;
/** Patterns that match the service's secrets, including those that no test has registered. */
const SHAPES = [
  ["what looks like a key", /bsn_[0-9a-f]{16}_[0-9a-f]{64}/g],
  ["what looks like a webhook's secret", /whsec_[A-Za-z0-9+/]{32,}={0,2}/g],
] as const;

/** A scanned string and the number of secrets that were known when it was scanned. */
interface Kept {
  readonly where: string;
  readonly text: string;
  readonly rightly: readonly string[];
  readonly knownThen: number;
}

/** The known secrets of this test file and their descriptions, in order of registration. */
const known = new Map<string, string>();
const leaks: string[] = [];
/** Strings scanned in the current test. */
const kept: Kept[] = [];
let keptCharacters = 0;

/** Forgets the previous file's secrets, except the permanent ones. */
export function resetScanner(): void {
  known.clear();
  leaks.length = 0;
  forgetTexts();
  learnSecret("ROOT_API_KEY", env.ROOT_API_KEY);
  learnSecret("SIGNING_KEY", env.SIGNING_KEY);
  for (const pair of env.CREDENTIALS_KEY.split(",")) {
    const base64 = pair.slice(pair.indexOf(":") + 1).trim();
    learnSecret("CREDENTIALS_KEY", base64);
    learnSecret("CREDENTIALS_KEY", atob(base64));
  }
}

/**
 * Registers a secret in its plain, URL-encoded and JSON forms. A scanned string may contain the
 * secret only if the secret is in the `rightly` argument of `scanText`.
 */
export function learnSecret(what: string, secret: unknown): void {
  if (typeof secret !== "string" || secret.length < CHARACTERS_MIN) return;
  // The last part of a key is the actual secret.
  const text = /^bsn_[0-9a-f]{16}_([0-9a-f]{64})$/.exec(secret)?.[1] ?? secret;
  for (const form of [text, encodeURIComponent(text), JSON.stringify(text).slice(1, -1)]) {
    known.set(form, what);
  }
}

export function countKnownSecrets(): number {
  return known.size;
}

/**
 * Scans a string for all known secrets except the allowed ones. If `hasExamples` is true, values
 * that only look like secrets are allowed.
 */
export function scanText(
  where: string,
  text: string,
  rightly: readonly string[] = [],
  hasExamples = false,
): void {
  for (const [what, shape] of hasExamples ? [] : SHAPES) {
    for (const { 0: found, index } of text.matchAll(shape)) {
      // Known secrets are reported below. In a URL, the match may be shorter than the secret.
      const isKnown = [...known.keys()].some((one) => found.includes(one) || one.includes(found));
      if (!isKnown && !rightly.some((shown) => shown.includes(found))) {
        tell(where, what, text, index);
      }
    }
  }
  lookFor([...known], { where, text, rightly });
  kept.push({ where, text, rightly, knownThen: known.size });
  keptCharacters += text.length;
  if (keptCharacters > KEPT_CHARACTERS_MAX) rescanTexts();
}

/** Scans the test's strings again for secrets that were registered after their first scan. */
export function rescanTexts(): void {
  const all = [...known];
  for (const text of kept) lookFor(all.slice(text.knownThen), text);
  forgetTexts();
}

function forgetTexts(): void {
  kept.length = 0;
  keptCharacters = 0;
}

function lookFor(
  secrets: readonly (readonly [secret: string, what: string])[],
  { where, text, rightly }: Pick<Kept, "where" | "text" | "rightly">,
): void {
  for (const [secret, what] of secrets) {
    if (!text.includes(secret) || rightly.some((shown) => shown.includes(secret))) continue;
    tell(where, what, text, text.indexOf(secret));
  }
}

function tell(where: string, what: string, text: string, at: number): void {
  // The report cannot represent a lone surrogate.
  const around = text.slice(Math.max(0, at - 60), at).toWellFormed();
  leaks.push(`${where} contains ${what}, after: …${around}`);
}

/** Returns the leaks found since the previous call. */
export function takeLeaks(): string[] {
  return [...new Set(leaks.splice(0))];
}

/**
 * Formats a log entry, including the contents of errors, headers and other values that JSON omits.
 */
export function formatLogEntry(entry: unknown): string {
  const seen = new Set<unknown>();
  return (
    JSON.stringify(entry, (_key, value: unknown) => {
      if (typeof value === "bigint") return String(value);
      if (typeof value !== "object" || value === null) return value;
      if (seen.has(value)) return "again";
      seen.add(value);
      if (value instanceof Map || value instanceof Set || value instanceof Headers)
        return [...value];
      if (value instanceof Request || value instanceof Response) {
        return { url: value.url, headers: [...value.headers] };
      }
      if (!(value instanceof Error)) return value;
      const { name, message, stack, cause } = value;
      const errors: unknown = value instanceof AggregateError ? value.errors : undefined;
      return { ...Object.fromEntries(Object.entries(value)), name, message, stack, cause, errors };
    }) ?? ""
  );
}
