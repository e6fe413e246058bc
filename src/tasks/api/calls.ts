import { decodeCursor, encodeCursor, type CursorScope } from "../../http/cursor.ts";
import { createFieldFailure, type Failure } from "../../kernel/failure.ts";
import { fail, ok, type Result } from "../../kernel/result.ts";
import type { Viewer } from "../../keys/model/key.ts";
import type { CallOutcome, CallPosition, TaskCall } from "../model/call-record.ts";
import { taskStub } from "../task.rpc.ts";

type CallsEnv = Pick<Env, "TASKS" | "SIGNING_KEY">;

interface CallsQuery {
  readonly outcome: CallOutcome | null;
  readonly limit: number;
  readonly cursor: string | undefined;
}

/** Lists a task's calls, newest first. The cursor is valid only for the same task and outcome. */
export async function listCalls(
  env: CallsEnv,
  viewer: Viewer,
  taskId: string,
  { outcome, limit, cursor }: CallsQuery,
): Promise<Result<{ calls: readonly TaskCall[]; nextCursor: string | null }, Failure>> {
  const list: CursorScope = { use: "calls", filter: [taskId, outcome ?? ""] };
  const stub = taskStub(env.TASKS, taskId);
  if (!stub.ok) return stub;
  const before = cursor === undefined ? null : readPosition(env.SIGNING_KEY, list, cursor);
  if (cursor !== undefined && before === null) {
    const rule = "must be a nextCursor from a request with the same task and outcome";
    return fail(createFieldFailure("cursor", rule));
  }
  const page = await stub.value.listCalls(viewer, { outcome, before, limit });
  if (!page.ok) return page;
  const { calls, hasMore } = page.value;
  const last = calls.at(-1)?.record;
  const nextCursor =
    hasMore && last !== undefined
      ? encodeCursor(env.SIGNING_KEY, list, `${last.startedAt}.${last.id}`)
      : null;
  return ok({ calls, nextCursor });
}

function readPosition(secret: string, list: CursorScope, cursor: string): CallPosition | null {
  const place = decodeCursor(secret, list, cursor);
  if (place === null) return null;
  const [startedAt, id = ""] = place.split(".");
  return { startedAt: Number(startedAt), id };
}
