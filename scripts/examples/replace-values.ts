import { createHash } from "node:crypto";

/** The readable text, 32 bytes long, that replaces secrets. */
const SECRET = Buffer.from("this is an example, not a secret");

/** UUIDs and the ids of tasks, results, keys and webhooks, but not SHA-256 hashes of files. */
const ID =
  /(?<!dlv_|sha256\\?":\\?"|[0-9A-Za-z])(?:[0-9a-f]{64}|[0-9a-f]{32}|[0-9a-f]{16}|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})(?![0-9A-Za-z])/g;

/** Secrets, and values that the service signed or encrypted. */
const SECRETS: readonly (readonly [pattern: RegExp, replacement: string])[] = [
  [/(?<=bsn_[0-9a-f]{16}_)[0-9a-f]{64}/g, SECRET.toString("hex")],
  [/(?<=whsec_)[\w+/]+=*/g, SECRET.toString("base64")],
  // The token that the OpenAPI document uses as an example for the Bosun-Lease header.
  [/(?<=lse_)[0-9a-f-]{36}/g, "84c39c90-f351-475e-a25f-7524b8c40995"],
  [/(?<=signature=|ticket=|"(?:nextCursor|ticket)":")[\w.-]+/g, SECRET.toString("base64url")],
  [/(?<="state":")[\w.-]{40,}/g, SECRET.toString("base64url")],
  [/(?<=dlv_)\d+/g, "1795300089608000"],
];

/** Values that can differ between two recordings of the same responses: times, dates and durations. */
const TIMES: readonly RegExp[] = [
  /\d{4}-\d\d-\d\dT[\d:.]+Z/g,
  /(?<="(?:from|to|day|startDate|endDate)":")\d{4}-\d\d-\d\d/g,
  /(?<="(?:duration|estimatedDuration|workingTime|waitingTime)":")[^"]+/g,
  /(?<="durationMs":)\d+/g,
  /(?<=expires=)\d+/g,
];

/**
 * Replaces values in a recording: secrets with readable text, ids with ids that depend only on their order and format,
 * and `origins` with reserved host names. Equal ids stay equal.
 */
export function replaceValues<Value>(recorded: Value, origins: ReadonlyMap<string, string>): Value {
  const ids = new Map<string, string>();
  let text = JSON.stringify(recorded);
  for (const [origin, shown] of origins) text = text.replaceAll(origin, shown);
  text = text.replaceAll(ID, (id) => {
    const replacement = ids.get(id) ?? makeId(ids.size + 1, id);
    ids.set(id, replacement);
    return replacement;
  });
  for (const [pattern, replacement] of SECRETS) text = text.replaceAll(pattern, replacement);
  return JSON.parse(text);
}

/** Whether two recordings differ only in times, dates and durations. */
export function differOnlyInTime(one: unknown, other: unknown): boolean {
  return withoutTimes(one) === withoutTimes(other);
}

function withoutTimes(recorded: unknown): string | undefined {
  return TIMES.reduce<string | undefined>(
    (text, pattern) => text?.replaceAll(pattern, "…"),
    JSON.stringify(recorded),
  );
}

/** The nth replacement id, with the length and format of the given id. */
function makeId(n: number, { length }: string): string {
  const digits = createHash("sha256").update(`example ${n}`).digest("hex");
  return length === 36
    ? digits.replace(/^(.{8})(.{4}).(.{3}).(.{3})(.{12}).*/, "$1-$2-4$3-8$4-$5")
    : digits.slice(0, length);
}
