import { currentRequestId } from "./request-id.ts";

/**
 * `LOG_ACTIVITY` is "true" when the service runs locally, where a person reads the log. Cloudflare logs requests
 * itself.
 */
export type ActivityEnv = Pick<Env, "LOG_ACTIVITY">;

/**
 * Task ids and key secrets are 64 characters long. Twelve characters are enough to find a task in the log and too few
 * to reveal a secret.
 */
const ID_CHARACTERS = 12;
const LONG_ID = /(?<![0-9a-f])[0-9a-f]{64}(?![0-9a-f])/g;
const WORD = /^[\w-]{1,40}$/;
const TEXT_CHARACTERS_MAX = 200;

/** A finished request, or a change made by a request or a background job. */
export interface Activity {
  readonly kind: "request" | "task" | "tool" | "webhook";
  /** What ran or changed, such as `GET /health`, a task's events, or a tool and its capability. */
  readonly subject: string;
  /** The result, in words or as an HTTP status. */
  readonly outcome: string;
  /** Details of the outcome, such as a task's phase. */
  readonly detail?: string | null;
  /** The stable error code; null if the activity succeeded. */
  readonly code?: string | null;
  /** The error as a sentence, the text that a person wrote, or the question that a person is asked. */
  readonly message?: string | null;
  readonly durationMs?: number;
  readonly agentId?: string | null;
  readonly taskId?: string | null;
  readonly keyId?: string | null;
}

/** Writes one line for an activity. `describe` runs only if `LOG_ACTIVITY` is "true". */
export function logActivity(env: ActivityEnv, describe: () => Activity): void {
  if (env.LOG_ACTIVITY !== "true") return;
  console.info(formatActivity(describe(), currentRequestId(), new Date()));
}

/**
 * Formats an activity as one line, for example `12:30:05Z tool crm find-contact: failed, 31 ms TOOL_UPSTREAM_ERROR "…"
 * agent=sales task=4f2ac19e0b1d request=…`.
 */
export function formatActivity(activity: Activity, requestId: string | null, now: Date): string {
  const { kind, subject, outcome, durationMs } = activity;
  const { detail = null, code = null, message = null } = activity;
  const { agentId = null, taskId = null, keyId = null } = activity;
  const named = { agent: agentId, task: taskId, key: keyId, request: requestId };
  const words = [
    `${now.toISOString().slice(11, 19)}Z`,
    kind.padEnd(7),
    `${subject}:`,
    durationMs === undefined ? outcome : `${outcome}, ${durationMs} ms`,
    detail === null || WORD.test(detail) ? detail : quote(detail),
    code,
    message === null ? null : quote(message),
    ...Object.entries(named).map(([name, id]) => (id === null ? null : `${name}=${id}`)),
  ];
  return toOneLine(words.filter((word) => word !== null).join(" "));
}

function quote(text: string): string {
  const isLong = text.length > TEXT_CHARACTERS_MAX;
  return JSON.stringify(isLong ? `${text.slice(0, TEXT_CHARACTERS_MAX).toWellFormed()}…` : text);
}

/** User text can contain control characters, which could start a new line or control the terminal. */
function toOneLine(text: string): string {
  return text
    .replaceAll(LONG_ID, (id) => id.slice(0, ID_CHARACTERS))
    .replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, (character) => {
      return `\\u${(character.codePointAt(0) ?? 0).toString(16).padStart(4, "0")}`;
    });
}
