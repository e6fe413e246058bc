/** A task of A2A: one life of one of ours. The context of all its lives is the id of our task. */
export interface Address {
  readonly taskId: string;
  /** From 1. */
  readonly life: number;
}

const ID = /^([0-9a-f]{64})(?:-([2-9]|[1-9]\d{1,3}))?$/;

/** The first life goes by the task's own id, the others by `<task id>-<life>`. */
export function idOf({ taskId, life }: Address): string {
  return life === 1 ? taskId : `${taskId}-${life}`;
}

/** What an id of A2A names, or null for one that this service never gave out. */
export function addressOf(id: string): Address | null {
  const [, taskId, life = "1"] = ID.exec(id) ?? [];
  return taskId === undefined ? null : { taskId, life: Number(life) };
}
