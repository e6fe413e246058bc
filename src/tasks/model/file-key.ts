/** The folder of a task's files in the file store. */
export function taskFilePrefix(taskId: string): string {
  return `tasks/${taskId}/`;
}

/** The prefix of the keys of one attempt's files. */
export function attemptFilePrefix(taskId: string, attempt: number): string {
  return `${taskFilePrefix(taskId)}${attempt}.`;
}
