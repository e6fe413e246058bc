import type { Failure } from "../../kernel/failure.ts";

interface KeyLimitDefinition {
  readonly default: number;
  readonly min: number;
  /** The highest value that can be set. */
  readonly max: number;
  /** What to do when the limit is reached. The error message also says how to raise the limit. */
  readonly remedy: string;
}

/**
 * All limits of a key, with the reason for each default. `pushConfigurations` is exact; the others protect
 * against load and are approximate. The root key belongs to the operator and has no limits.
 */
export const KEY_LIMITS = {
  /**
   * Requests per minute; each isolate counts its own. A worker makes a few requests per task and one claim per 20
   * seconds, so a fleet of hundreds of workers that share one key stays below 100 requests per second.
   */
  requestsPerMinute: { default: 6_000, min: 1, max: 10_000_000, remedy: "Send fewer requests" },
  /**
   * Event streams, A2A streams, waiting claims and other waiting requests that are open at the same time, per isolate.
   * A fleet has one per worker, and an isolate has enough memory for a few thousand.
   */
  openStreams: {
    default: 1_000,
    min: 0,
    max: 100_000,
    remedy: "Close a stream or a waiting request",
  },
  /**
   * A2A push notification configurations, across all tasks. Each can target any public address. A configuration ends
   * with its task, so a client with one per task reaches the default only with 1,000 concurrent tasks.
   */
  pushConfigurations: {
    default: 1_000,
    min: 0,
    max: 100_000,
    remedy: "Delete a push notification configuration, wait until its task ends",
  },
  /**
   * Tasks that have not ended, counted in the directory. A day's backlog at one task per second stays below the
   * default.
   */
  liveTasks: {
    default: 100_000,
    min: 0,
    max: 100_000_000,
    remedy: "Wait until a task ends, cancel one",
  },
  /**
   * Bytes in the logs and files of the key's tasks, until the tasks are deleted. They are counted in the directory, in
   * units of STORED_BYTES_UNIT. A terabyte is enough for 30 million small tasks or 9,500 files of the maximum size.
   */
  storedBytes: {
    default: 1e12,
    min: 0,
    max: 1e15,
    remedy:
      "Wait until ended tasks are deleted (each task counts as at least 32 KiB; the operator sets TASK_RETENTION_DAYS)",
  },
} as const satisfies Readonly<Record<string, KeyLimitDefinition>>;

export type KeyLimitName = keyof typeof KEY_LIMITS;

/** The cast is safe, because KEY_LIMITS has no other keys. */
export const KEY_LIMIT_NAMES = Object.keys(KEY_LIMITS) as readonly KeyLimitName[];

/** The limits in effect for a key. */
export type KeyLimits = Readonly<Record<KeyLimitName, number>>;

/** The limits that differ from the defaults, as stored in the key's row. */
export type KeyLimitOverrides = Readonly<Partial<Record<KeyLimitName, number>>>;

/** A change to limits. Null restores the default; an absent limit stays unchanged. */
export type KeyLimitChange = { readonly [Name in KeyLimitName]?: number | null | undefined };

/** The limits in effect. Unknown limits, stored by a later release before a rollback, are ignored. */
export function resolveKeyLimits(overrides: KeyLimitOverrides | null): KeyLimits {
  const of = (name: KeyLimitName): number => overrides?.[name] ?? KEY_LIMITS[name].default;
  return {
    requestsPerMinute: of("requestsPerMinute"),
    openStreams: of("openStreams"),
    pushConfigurations: of("pushConfigurations"),
    liveTasks: of("liveTasks"),
    storedBytes: of("storedBytes"),
  };
}

/** The overrides to store after a change; null if every limit is the default. */
export function applyLimitChange(
  before: KeyLimitOverrides | null,
  change: KeyLimitChange,
): KeyLimitOverrides | null {
  const entries = KEY_LIMIT_NAMES.flatMap((name): [KeyLimitName, number][] => {
    const given = change[name];
    const value = given === undefined ? before?.[name] : given;
    return value === undefined || value === null ? [] : [[name, value]];
  });
  return entries.length === 0 ? null : Object.fromEntries(entries);
}

/**
 * The overrides of a new key. An absent limit is the default or the parent's limit, whichever is lower; a null parent
 * is the root key, which has no limits.
 */
export function inheritLimits(
  given: KeyLimitChange,
  parent: KeyLimits | null,
): KeyLimitOverrides | null {
  const lower = KEY_LIMIT_NAMES.filter(
    (name) =>
      (given[name] ?? null) === null && parent !== null && parent[name] < KEY_LIMITS[name].default,
  );
  const inherited = Object.fromEntries(lower.map((name) => [name, parent?.[name]]));
  return applyLimitChange(null, { ...given, ...inherited });
}

/** The limits in a change that exceed those of the key making the change; `by` is null for the root key. */
export function findExcessiveLimits(change: KeyLimitChange, by: KeyLimits | null) {
  if (by === null) return [];
  return KEY_LIMIT_NAMES.flatMap((name) => {
    const value = change[name];
    if (value === undefined) return [];
    const given = value ?? KEY_LIMITS[name].default;
    return given > by[name] ? [{ name, given, max: by[name] }] : [];
  });
}

/** The usage of the tasks that a key created. `storedBytes` includes ended tasks until they are deleted. */
export interface KeyUsage {
  readonly liveTasks: number;
  readonly storedBytes: number;
}

/** The first limit that a key would exceed with `more`, or null. Only limits that `more` adds to are checked. */
export function findExceededLimit(
  usage: KeyUsage,
  more: KeyUsage,
  limits: KeyLimits,
): keyof KeyUsage | null {
  const exceeds = (name: keyof KeyUsage): boolean =>
    more[name] > 0 && usage[name] + more[name] > limits[name];
  if (exceeds("liveTasks")) return "liveTasks";
  return exceeds("storedBytes") ? "storedBytes" : null;
}

export function addKeyUsage(one: KeyUsage, other: KeyUsage): KeyUsage {
  return {
    liveTasks: one.liveTasks + other.liveTasks,
    storedBytes: one.storedBytes + other.storedBytes,
  };
}

/** The failure of a request that exceeds one of a key's limits. */
export function createKeyLimitFailure(
  { id: keyId, max }: { readonly id: string; readonly max: number },
  limit: KeyLimitName,
  retryAfterSeconds: number | null = null,
): Failure<"key_limit_reached"> {
  const { remedy } = KEY_LIMITS[limit];
  return { kind: "key_limit_reached", keyId, limit, max, remedy, retryAfterSeconds };
}
