/** The folder of a task's files in the file store. */
export function taskFolder(taskId: string): string {
  return `tasks/${taskId}/`;
}

/** How the keys of all files of one attempt begin. */
export function attemptFolder(taskId: string, attempt: number): string {
  return `${taskFolder(taskId)}${attempt}.`;
}
