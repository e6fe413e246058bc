/** What each of the field does for the same work, by its name. */
const DOES: ReadonlyMap<string, string> = new Map([
  ["Bosun", "this service, with all that it checks and keeps"],
  [
    "the limit",
    "the least that a Worker could do: an object and a D1 insert for each task, an insert and an alarm for each step, and nothing is checked",
  ],
  [
    "Workflows",
    "Cloudflare Workflows in the engine that miniflare runs locally, which is not the one that is deployed: an instance for each task, which keeps each step",
  ],
  [
    "Agents SDK",
    "Cloudflare's SDK: an agent for each task, which keeps its state and schedules its own steps",
  ],
  [
    "BullMQ",
    "a Hono server on Node with BullMQ on Redis, which flushes its log before it answers: a job for each task",
  ],
  [
    "pg-boss",
    "a Hono server on Node with pg-boss on PostgreSQL as it is delivered: a job for each task, and a table from which tasks are listed",
  ],
]);

/** In words; null for one that is not known here. */
export function whatItDoes(contestant: string): string | null {
  return DOES.get(contestant) ?? null;
}

/** This service, in whatever manner it took part. */
export function isBosun(contestant: string): boolean {
  return /^bosun\b/i.test(contestant);
}
