import type { Failure } from "../../kernel/failure.ts";
import type { Viewer } from "../../keys/model/key.ts";
import { fileKey, FileStoreError, taskFilePrefix } from "../model/files.ts";
import type { NewFile } from "../../executors/contract.ts";
import { fail, ok, type Result } from "../../kernel/result.ts";
import type { Deliverable, Task } from "../model/task.ts";
import { createFileResponse, isValidSignedLink, createSignedQuery } from "../../http/downloads.ts";
import { readOutcome } from "../model/guards.ts";
import { taskStub } from "../task.rpc.ts";
import type {
  DeliverableListResponse,
  DownloadableDeliverableResponse,
} from "./deliverable-schemas.ts";
import { deliverableView } from "./view.ts";

/** The deliverables of a task that is in review or completed, each with a link that needs no key. */
export async function listDeliverables(
  env: Pick<Env, "TASKS" | "SIGNING_KEY">,
  viewer: Viewer,
  origin: string,
  id: string,
): Promise<Result<DeliverableListResponse, Failure>> {
  const stub = taskStub(env.TASKS, id);
  const read = stub.ok ? await stub.value.read(viewer) : stub;
  const outcome = read.ok ? readOutcome(read.value) : read;
  if (!outcome.ok) return outcome;
  const deliverables = withDownloadLinks(env, origin, id, outcome.value.deliverables);
  return ok({ taskId: id, deliverables });
}

/** A task's files, each with a signed link that works without a key until it expires. */
export function withDownloadLinks(
  env: Pick<Env, "SIGNING_KEY">,
  origin: string,
  id: string,
  files: readonly Deliverable[],
): DownloadableDeliverableResponse[] {
  const now = Date.now();
  return files.map((file) => {
    const view = deliverableView(origin, id, file);
    const query = createSignedQuery(env.SIGNING_KEY, [id, file.name], now);
    return { ...view, downloadUrl: `${view.url}?${query}`, format: file.format };
  });
}

export async function readDeliverable(
  env: Pick<Env, "TASKS" | "FILES">,
  viewer: Viewer,
  id: string,
  name: string,
): Promise<Result<Response, Failure>> {
  const stub = taskStub(env.TASKS, id);
  if (!stub.ok) return stub;
  const delivered = await stub.value.deliverable(viewer, name);
  if (!delivered.ok) return delivered;
  const { file, held: bytes } = delivered.value;
  if (bytes !== null) return ok(createFileResponse(file, bytes, bytes.byteLength));
  // All tasks share the file store, so make sure that the file key does not belong to another task's file.
  const isOwn = file.key.startsWith(taskFilePrefix(id));
  const stored = isOwn ? await env.FILES.get(file.key) : null;
  if (stored === null) return fail({ kind: "not_found", what: "deliverable", id: name });
  return ok(createFileResponse(file, stored.body, stored.size));
}

/** Fails unless the signed link is valid and has not expired. */
export function checkDownloadLink(
  env: Pick<Env, "SIGNING_KEY">,
  file: { taskId: string; name: string },
  query: URLSearchParams,
): Result<null, Failure> {
  if (isValidSignedLink(env.SIGNING_KEY, [file.taskId, file.name], query, Date.now()))
    return ok(null);
  const reason =
    "This link is invalid or has expired. Get a new link from the task's deliverables.";
  return fail({ kind: "unauthenticated", reason });
}

/** Stores a file for the task's current attempt and round. `writer` keeps the files of concurrent writers apart. */
export async function saveDeliverable(
  files: R2Bucket,
  taskId: string,
  task: Task,
  file: NewFile,
  writer: string | null = null,
): Promise<Deliverable> {
  const key = fileKey(taskId, task, file.name, writer);
  try {
    await files.put(key, file.bytes, { httpMetadata: { contentType: file.format } });
  } catch (cause) {
    throw new FileStoreError(`The file ${file.name} could not be stored.`, { cause });
  }
  return createDeliverable(file, key);
}

export function createDeliverable(
  { type, name, format, bytes }: NewFile,
  key: string,
): Deliverable {
  return { type, name, format, size: bytes.byteLength, key, createdAt: Date.now() };
}
