import { taskFilePrefix } from "../model/files.ts";

/** Deletes all files of a task, a page of the store's listing at a time. */
export async function deleteFiles(files: R2Bucket, taskId: string): Promise<void> {
  for (;;) {
    const page = await files.list({ prefix: taskFilePrefix(taskId) });
    if (page.objects.length === 0) return;
    await files.delete(page.objects.map(({ key }) => key));
  }
}
