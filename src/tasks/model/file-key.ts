/** The folder of a task's files in the file store. */
export function taskFilePrefix(taskId: string): string {
  return `tasks/${taskId}/`;
}

/** The prefix of the keys of one attempt's files. */
export function attemptFilePrefix(taskId: string, attempt: number): string {
  return `${taskFilePrefix(taskId)}${attempt}.`;
}

/** The key of a deliverable: task, attempt, round of review, writer (if there can be several) and name. */
export function fileKey(
  taskId: string,
  { attempt, round }: { attempt: number; round: number },
  name: string,
  writer: string | null = null,
): string {
  const by = writer === null ? "" : `.${writer}`;
  return `${attemptFilePrefix(taskId, attempt)}${round}${by}/${name}`;
}

/** Whether a text has the form of `fileKey`. */
export function isFileKey(text: string): boolean {
  return /^tasks\/[0-9a-f]{64}\//.test(text);
}

/** The file store did not take a file. The only error of a step with an error code of its own. */
export class FileStoreError extends Error {}
