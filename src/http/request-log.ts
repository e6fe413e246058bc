import type { Next } from "hono";
import { type Json, type JsonObject, toJsonObject, tryParseJson } from "../kernel/json.ts";
import { logActivity } from "../platform/activity-log.ts";
import type { AppContext } from "./envelope.ts";
import { hasJsonBody } from "./middleware.ts";

const TASK_ID = /(?<=\/tasks\/)[0-9a-f]{64}\b/;

/** Logs one line per request if `LOG_ACTIVITY` is "true". A stream is logged when it starts. */
export async function logRequest(c: AppContext, next: Next): Promise<void> {
  if (c.env.LOG_ACTIVITY !== "true") return next();
  const startedAt = Date.now();
  await next();
  const durationMs = Date.now() - startedAt;
  const { method } = c.req;
  const path = new URL(c.req.url).pathname;
  const body = await readEnvelope(c.res);
  const error = toJsonObject(body["error"]);
  const key = c.get("key");
  const task = ["GET", "HEAD"].includes(method) ? {} : changedTaskIn(toJsonObject(body["data"]));
  logActivity(c.env, () => ({
    kind: "request",
    subject: `${method} ${path}`,
    outcome: String(c.res.status),
    code: textOf(error["code"]),
    message: textOf(error["message"]),
    durationMs,
    agentId: key?.agentId ?? textOf(task["agentId"]),
    taskId: TASK_ID.exec(path)?.[0] ?? textOf(task["taskId"]),
    keyId: key?.id ?? null,
  }));
}

/** The task in a response. A response to a claim counts only if it contains exactly one task. */
function changedTaskIn(data: JsonObject): JsonObject {
  const { tasks } = data;
  if (!Array.isArray(tasks)) return data;
  return tasks.length === 1 ? toJsonObject(tasks[0]) : {};
}

/** The JSON object in a response. Streams, pages and files are not read; the result is then an empty object. */
async function readEnvelope(response: Response): Promise<JsonObject> {
  const isFile = response.headers.has("Content-Disposition");
  if (isFile || !hasJsonBody(response)) return {};
  return toJsonObject(tryParseJson(await response.clone().text()));
}

function textOf(value: Json | undefined): string | null {
  return typeof value === "string" ? value : null;
}
