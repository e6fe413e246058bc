import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Secrets } from "../../../../scripts/secrets.ts";
import type { EventShape } from "../../../../scripts/proof/responses.ts";

const ARCHIVE = join(import.meta.dirname, "state.tar.gz");
const RECORD = "record.json";
/** The storage folder inside the archive. */
export const STORAGE = "state";
/** Replaces the service's origin in the record, because the port is different at each start. */
const RECORDED_ORIGIN = "http://bosun.test";

/** The stored tasks, named after the situation that each is in when the service is killed. */
export const TASKS = [
  "completed",
  "completedByWorker",
  "blocked",
  "review",
  "cancelled",
  "failed",
  "undelivered",
  "running",
  "runningInQueue",
  "waitingInQueue",
  "lastInQueue",
  "leased",
  "waitingForWorker",
  "lastForWorker",
  "inModelTurn",
  "sentByA2a",
] as const;
export type TaskName = (typeof TASKS)[number];

export interface Request {
  readonly path: string;
  readonly body: object;
  readonly idempotencyKey: string;
}

/** What the earlier release's clients knew when it was killed. */
export interface EarlierState {
  readonly secrets: Secrets;
  readonly migrations: readonly string[];
  readonly tasks: Readonly<Record<TaskName, string>>;
  /** The log of each task. */
  readonly logs: Readonly<Record<TaskName, readonly EventShape[]>>;
  /** GET responses by path, for resources that only clients change. */
  readonly views: Readonly<Record<string, unknown>>;
  readonly files: readonly { readonly path: string; readonly sha256: string }[];
  readonly keys: Readonly<Record<"creator" | "pilot" | "revoked" | "scribe", string>>;
  readonly createTask: Request;
  readonly createKey: Request;
  readonly lease: string;
  readonly list: { readonly cursor: string; readonly nextIds: readonly string[] };
  readonly feedCursor: string;
  readonly webhook: { readonly id: string; readonly secret: string; readonly deliveryId: string };
  readonly usage: { readonly lastUsedAt: string; readonly recentCalls: readonly object[] };
}

/** Writes the record next to the storage, and archives both. */
export function archiveState(folder: string, record: EarlierState): void {
  writeFileSync(join(folder, RECORD), JSON.stringify(record));
  tar(["-czf", ARCHIVE, "-C", folder, "--owner=0", "--group=0", RECORD, STORAGE]);
}

/** Extracts the archive into a folder and returns the record. */
export function extractState(folder: string): EarlierState {
  tar(["-xzf", ARCHIVE, "-C", folder, "--no-same-owner"]);
  return JSON.parse(readFileSync(join(folder, RECORD), "utf8"));
}

/**
 * Converts a response to the form used in the record: with the record's origin, and without the
 * waiting time, which grows while a task waits.
 */
export function toRecordedForm(response: unknown, origin: string): unknown {
  const text = JSON.stringify(response).replaceAll(origin, () => RECORDED_ORIGIN);
  const isWaiting = /"status":"(?:blocked|review)"/.test(text);
  return JSON.parse(isWaiting ? text.replace(/,"waitingTime":"[^"]*"/, "") : text);
}

function tar(args: readonly string[]): void {
  const run = spawnSync("tar", args, { encoding: "utf8" });
  if (run.status !== 0) throw new Error(`tar ${args[0]} failed: ${run.stderr}`);
}
