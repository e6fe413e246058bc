import { env } from "cloudflare:workers";

/** A well-formed task id without a task. */
export function missingTaskId(): string {
  return env.TASKS.newUniqueId().toString();
}

/** An unused id of the same length. */
export function unknownIdLike(id: string): string {
  return "unheard-of-by-anybody".padEnd(id.length, "-x").slice(0, id.length).replace(/-$/, "x");
}
