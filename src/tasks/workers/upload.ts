import type { DirectoryEnv } from "../../platform/d1/client.ts";
import { createFieldFailure, type Failure } from "../../kernel/failure.ts";
import type { Viewer } from "../../keys/model/key.ts";
import { UPLOAD_BYTES_MAX } from "../limits.ts";
import { fileLimitFailure, illegalTransition } from "../model/guards.ts";
import { fail, ok, type Result } from "../../kernel/result.ts";
import type { Deliverable } from "../model/task.ts";
import { checkCreatorUsage } from "../../keys/authenticate.ts";
import { fileKey } from "../model/files.ts";
import { taskStub } from "../task.rpc.ts";
import { streamToR2 } from "./multipart-upload.ts";
import { readUploadRequest, type UploadRequest } from "./upload-request.ts";
import { log } from "../../platform/log.ts";

/** An uploaded file. `isNew`: false if it replaced a file with the same name. */
export interface UploadedFile {
  readonly file: Deliverable;
  readonly isNew: boolean;
}

/**
 * Stores a file for the task that a worker holds. The task is checked before the body is read, and receives the file
 * after the body is stored. Each upload writes to its own key, so a failed upload does not change the task's files.
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
  const stub = taskStub(env.TASKS, id);
  if (!stub.ok) return stub;
  const { token } = announced.value;
  const heartbeat = await stub.value.report(viewer, token, { type: "heartbeat" });
  if (!heartbeat.ok) return heartbeat;
  const { task, isHeld } = heartbeat.value;
  const failure = isHeld ? fileLimitFailure(task, name) : illegalTransition(task, "report");
  if (failure !== null) return fail(failure);
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
  const reported = await stub.value.report(viewer, token, { type: "file", file });
  const replaced = task.files.find((one) => one.name === name) ?? null;
  if (!reported.ok) await discard(env.FILES, file.key);
  // Keep files of earlier rounds, because people have seen them.
  else if (replaced?.key.startsWith(round) === true) await discard(env.FILES, replaced.key);
  return reported.ok ? ok({ file, isNew: replaced === null }) : reported;
}

async function store(
  files: R2Bucket,
  key: string,
  { body, announced }: { body: Request["body"]; announced: UploadRequest },
): Promise<Result<Deliverable, Failure>> {
  const { name, type, format } = announced;
  try {
    const streamed = await streamToR2(files, key, body, announced);
    if (!streamed.ok) return streamed;
    const { size, sha256 } = streamed.value;
    if (announced.sha256 === null || announced.sha256 === sha256) {
      return ok({ type, name, format, size, key, createdAt: Date.now(), sha256 });
    }
    await discard(files, key);
    const rule = "must be the SHA-256 of the body";
    return fail(createFieldFailure("Content-Digest", `${rule}, which is ${sha256} in hex`));
  } catch (error) {
    log.error("upload_failed", { key, error });
    await discard(files, key);
    return fail({ kind: "unavailable", what: "The file store" });
  }
}

/** Deletes a file that the task does not use. If this fails, the file is deleted with its task. */
async function discard(files: R2Bucket, key: string): Promise<void> {
  await files.delete(key).catch((error: unknown) => {
    log.warn("file_delete_failed", { key, error });
  });
}
