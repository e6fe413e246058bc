import { env } from "cloudflare:workers";

/** Shorter ones stand in any text by chance, and nobody means them for secrets. */
const CHARACTERS_MIN = 14;

/** So much is kept for a second look, which then is taken at once. */
const KEPT_CHARACTERS_MAX = 4_000_000;
/** What looks like a secret of this service, though nobody has told of it yet. */
const SHAPES = [
  ["what looks like a key", /bsn_[0-9a-f]{16}_[0-9a-f]{64}/g],
  ["what looks like a webhook's secret", /whsec_[A-Za-z0-9+/]{32,}={0,2}/g],
] as const;

/** A text as it was looked at, and how many secrets were known then. */
interface Kept {
  readonly where: string;
  readonly text: string;
  readonly rightly: readonly string[];
  readonly knownThen: number;
}

/** Every secret of this file of tests, by itself, with what it is; in the order in which they were learned. */
const known = new Map<string, string>();
const leaks: string[] = [];
/** The texts of the test that runs. */
const kept: Kept[] = [];
let keptCharacters = 0;

/** Begins anew: another file's store has other secrets. What is always secret stays so. */
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

/** A text that nobody may read again but where `rightly` says so; known in the forms that URLs and JSON have. */
export function learnSecret(what: string, secret: unknown): void {
  if (typeof secret !== "string" || secret.length < CHARACTERS_MIN) return;
  // Of a key the last part alone opens what the whole does.
  const text = /^bsn_[0-9a-f]{16}_([0-9a-f]{64})$/.exec(secret)?.[1] ?? secret;
  for (const form of [text, encodeURIComponent(text), JSON.stringify(text).slice(1, -1)]) {
    known.set(form, what);
  }
}

export function countKnownSecrets(): number {
  return known.size;
}

/**
 * Looks for every secret in a text, but for those that are shown there rightly. In a text of examples what
 * looks like one may be made up.
 */
export function scanText(
  where: string,
  text: string,
  rightly: readonly string[] = [],
  hasExamples = false,
): void {
  for (const [what, shape] of hasExamples ? [] : SHAPES) {
    for (const { 0: found, index } of text.matchAll(shape)) {
      // What is known is told below. In a URL the shape may end before the secret does.
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

/** Looks once more at all that was said in a test, for what came to be known only after it was said. */
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
  // Half a character would not reach whoever runs the tests.
  const around = text.slice(Math.max(0, at - 60), at).toWellFormed();
  leaks.push(`${where} shows ${what}, behind: …${around}`);
}

/** What was found since the last look. */
export function takeLeaks(): string[] {
  return [...new Set(leaks.splice(0))];
}

/** A log entry with all that JSON leaves out of errors, of headers and of what has no fields of its own. */
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
