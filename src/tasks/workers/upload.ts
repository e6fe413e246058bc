import type { DirectoryEnv } from "../../platform/d1/shards.ts";
import { createFieldFailure, type Failure } from "../../kernel/failure.ts";
import type { Viewer } from "../../keys/model/key.ts";
import { UPLOAD_BYTES_MAX } from "../limits.ts";
import { fileLimitFailure, illegalTransition } from "../model/guards.ts";
import { fail, ok, type Result } from "../../kernel/result.ts";
import type { Deliverable } from "../model/task.ts";
import { checkCreatorUsage } from "../../keys/check-usage.ts";
import { fileKey } from "../model/files.ts";
import { taskStub } from "../task.rpc.ts";
import { streamToR2 } from "./stream-to-r2.ts";
import { readUploadRequest, type UploadRequest } from "./upload-request.ts";
import { log } from "../../platform/log.ts";

/** A file that a worker has handed in; `isNew` unless it took the place of one of its name. */
export interface UploadedFile {
  readonly file: Deliverable;
  readonly isNew: boolean;
}

/**
 * Stores a file for the task that a worker holds. The task is asked before a byte is read and told when
 * all are stored; each upload writes to a place of its own, so that whatever becomes of it, and of a
 * worker who holds the task no more, a file that the task names stays what it was.
 */
export async function storeUpload(
  env: DirectoryEnv & Pick<Env, "TASKS" | "FILES">,
  viewer: Viewer,
  id: string,
  name: string,
  request: Request,
  recheckKey: () => Promise<Failure | null>,
): Promise<Result<UploadedFile, Failure>> {
  const announced = readUploadRequest(request, name);
  if (!announced.ok) return announced;
  const port = taskStub(env.TASKS, id);
  if (!port.ok) return port;
  const { token } = announced.value;
  const held = await port.value.report(viewer, token, { type: "heartbeat" });
  if (!held.ok) return held;
  const { task, isHeld } = held.value;
  const refusal = isHeld ? fileLimitFailure(task, name) : illegalTransition(task, "report");
  if (refusal !== null) return fail(refusal);
  const more = { liveTasks: 0, storedBytes: announced.value.size ?? UPLOAD_BYTES_MAX };
  const exceeded = await checkCreatorUsage(env, task.createdBy, more);
  if (exceeded !== null) return fail(exceeded);
  const round = fileKey(id, task, "");
  const stored = await store(env.FILES, `${round}${crypto.randomUUID()}/${name}`, {
    body: request.body,
    announced: announced.value,
  });
  if (!stored.ok) return stored;
  const file = stored.value;
  const ended = await recheckKey();
  if (ended !== null) {
    await discard(env.FILES, file.key);
    return fail(ended);
  }
  const told = await port.value.report(viewer, token, { type: "file", file });
  const replaced = task.files.find((one) => one.name === name) ?? null;
  if (!told.ok) await discard(env.FILES, file.key);
  // What an earlier round has shown to people stays.
  else if (replaced?.key.startsWith(round) === true) await discard(env.FILES, replaced.key);
  return told.ok ? ok({ file, isNew: replaced === null }) : told;
}

async function store(
  files: R2Bucket,
  key: string,
  { body, announced }: { body: Request["body"]; announced: UploadRequest },
): Promise<Result<Deliverable, Failure>> {
  const { name, type, format } = announced;
  try {
    const poured = await streamToR2(files, key, body, announced);
    if (!poured.ok) return poured;
    const { size, sha256 } = poured.value;
    if (announced.sha256 === null || announced.sha256 === sha256) {
      return ok({ type, name, format, size, key, createdAt: Date.now(), sha256 });
    }
    await discard(files, key);
    const rule = "must be the SHA-256 of the body";
    return fail(createFieldFailure("Content-Digest", `${rule}, which is ${sha256} in hex`));
  } catch (fault) {
    log.error("upload_failed", { key, error: fault });
    await discard(files, key);
    return fail({ kind: "unavailable", what: "The store of files" });
  }
}

/** A file that nobody will ask for. One that stays for a fault of the store goes with its task. */
async function discard(files: R2Bucket, key: string): Promise<void> {
  await files.delete(key).catch((fault: unknown) => {
    log.warn("file_delete_failed", { key, error: fault });
  });
}
