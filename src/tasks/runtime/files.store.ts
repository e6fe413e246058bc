import { attemptFilePrefix, taskFilePrefix } from "../model/file-key.ts";

/**
 * Where the bytes of deliverables lie: keyed by task, attempt and round of review, by who writes them
 * where that can be several, and name.
 */
export function fileKey(
  taskId: string,
  { attempt, round }: { attempt: number; round: number },
  name: string,
  writer: string | null = null,
): string {
  const by = writer === null ? "" : `.${writer}`;
  return `${attemptFilePrefix(taskId, attempt)}${round}${by}/${name}`;
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
    const page = await files.list({ prefix: taskFilePrefix(taskId) });
    if (page.objects.length === 0) return;
    await files.delete(page.objects.map(({ key }) => key));
  }
}

/** Whether a text is what `fileKey` makes. */
export function isFileKey(text: string): boolean {
  return /^tasks\/[0-9a-f]{64}\//.test(text);
}
