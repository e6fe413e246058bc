import { currentRequestId } from "./request-id.ts";

/** `LOG_ACTIVITY` is "true" on a local service, where a person reads the log. Cloudflare logs requests itself. */
export type ActivityEnv = Pick<Env, "LOG_ACTIVITY">;

/** Ids of tasks have 64 characters; these are enough to find the task in the log. */
const ID_CHARACTERS = 12;
const LONG_ID = /\b[0-9a-f]{64}\b/g;
const TEXT_CHARACTERS_MAX = 200;

/** A finished request, or a change that a request or a background job made. */
export interface Activity {
  readonly kind: "request" | "task" | "tool" | "webhook";
  /** What ran or changed, such as `GET /health`, the events of a task, or a tool and its capability. */
  readonly subject: string;
  /** What came of it, in words or as an HTTP status. */
  readonly outcome: string;
  /** The stable code of the error; null if it succeeded. */
  readonly code?: string | null;
  /** The error as a sentence, for people. */
  readonly message?: string | null;
  readonly durationMs?: number;
  readonly agentId?: string | null;
  readonly taskId?: string | null;
  readonly keyId?: string | null;
}

/** Writes one line for a request or a background job. `describe` runs only if `LOG_ACTIVITY` is "true". */
export function logActivity(env: ActivityEnv, describe: () => Activity): void {
  if (env.LOG_ACTIVITY !== "true") return;
  console.info(formatActivity(describe(), currentRequestId(), new Date()));
}

/**
 * One line, for example
 * `12:30:05Z tool    crm contacts.search: failed, 31 ms TOOL_EXECUTION_FAILED "…" agent=sales task=4f2ac19e0b1d request=…`.
 */
export function formatActivity(activity: Activity, requestId: string | null, now: Date): string {
  const { kind, subject, outcome, durationMs } = activity;
  const { code = null, message = null, agentId = null, taskId = null, keyId = null } = activity;
  const named = { agent: agentId, task: taskId, key: keyId, request: requestId };
  const words = [
    `${now.toISOString().slice(11, 19)}Z`,
    kind.padEnd(7),
    `${toPlainText(subject)}:`,
    durationMs === undefined ? outcome : `${outcome}, ${durationMs} ms`,
    code,
    message === null ? null : quote(message),
    ...Object.entries(named).map(([name, id]) =>
      id === null ? null : `${name}=${toPlainText(id)}`,
    ),
  ];
  return words.filter((word) => word !== null).join(" ");
}

/** Texts of users can contain control characters, which a terminal would execute. */
function quote(text: string): string {
  const isLong = text.length > TEXT_CHARACTERS_MAX;
  const shown = isLong ? `${text.slice(0, TEXT_CHARACTERS_MAX).toWellFormed()}…` : text;
  return escapeControls(JSON.stringify(shown));
}

function toPlainText(text: string): string {
  return escapeControls(text.replaceAll(LONG_ID, (id) => id.slice(0, ID_CHARACTERS)));
}

function escapeControls(text: string): string {
  return text.replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, (character) => {
    return `\\u${(character.codePointAt(0) ?? 0).toString(16).padStart(4, "0")}`;
  });
}
