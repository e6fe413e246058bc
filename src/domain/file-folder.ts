/** The folder of a task's files in the file store. */
export function taskFolder(taskId: string): string {
  return `tasks/${taskId}/`;
}

/** The prefix of the keys of one attempt's files. */
export function attemptFolder(taskId: string, attempt: number): string {
  return `${taskFolder(taskId)}${attempt}.`;
}
