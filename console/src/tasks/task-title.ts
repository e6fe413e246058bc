const TITLE_CHARACTERS_MAX = 200;

/** The task's title or, if it has none, the first line of its text. */
export function titleOf({
  title,
  task,
}: {
  readonly title?: string;
  readonly task: string;
}): string {
  if (title !== undefined) return title;
  const line = task.trim().split("\n", 1)[0] ?? "";
  return line.length > TITLE_CHARACTERS_MAX ? `${line.slice(0, TITLE_CHARACTERS_MAX)}…` : line;
}
