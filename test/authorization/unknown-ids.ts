import { env } from "cloudflare:workers";

/** Returns a valid task id for which no task exists. */
export function missingTaskId(): string {
  return env.TASKS.newUniqueId().toString();
}

/** Returns an unused id of the same length. */
export function unknownIdLike(id: string): string {
  return "unheard-of-by-anybody".padEnd(id.length, "-x").slice(0, id.length).replace(/-$/, "x");
}
