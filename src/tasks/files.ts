import type { Task } from "../domain/task.ts";

/** Where the bytes of deliverables lie: keyed by task, attempt and round of review, and name. */
export function fileKey(
  taskId: string,
  { attempt, round }: { attempt: number; round: number },
  name: string,
): string {
  return `${folder(taskId)}${attempt}.${round}/${name}`;
}

/**
 * Where the files lie that a worker uploads under one lease: a worker that lost the task never comes
 * near what the next one stores.
 */
export function uploadFolder(taskId: string, { attempt, round, lease }: Task): string {
  if (lease === null) throw new Error("Only who holds a lease uploads files");
  return `${folder(taskId)}${attempt}.${round}.${lease.seq}/`;
}

export async function putFile(
  files: R2Bucket,
  key: string,
  bytes: Uint8Array,
  format: string,
): Promise<void> {
  await files.put(key, bytes, { httpMetadata: { contentType: format } });
}

/** Deletes all files of a task, a page of the store's listing at a time. */
export async function deleteFiles(files: R2Bucket, taskId: string): Promise<void> {
  for (;;) {
    const page = await files.list({ prefix: folder(taskId) });
    if (page.objects.length === 0) return;
    await files.delete(page.objects.map(({ key }) => key));
  }
}

function folder(taskId: string): string {
  return `tasks/${taskId}/`;
}
