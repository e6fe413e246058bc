import { env } from "cloudflare:workers";

/** A task's id that this service has made and that leads nowhere. */
export function missingTaskId(): string {
  return env.TASKS.newUniqueId().toString();
}

/** An id that nobody has, as long as another. */
export function unknownIdLike(id: string): string {
  return "unheard-of-by-anybody".padEnd(id.length, "-x").slice(0, id.length).replace(/-$/, "x");
}
