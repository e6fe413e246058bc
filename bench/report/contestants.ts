/** How each contestant executes the same work, by name. */
const DOES: ReadonlyMap<string, string> = new Map([
  ["Bosun", "this service with all its validation and storage"],
  [
    "the limit",
    "the minimum for a Worker: an object and a D1 insert for each task, an insert and an alarm for each step, without validation",
  ],
  [
    "Workflows",
    "Cloudflare Workflows in miniflare's local engine, which differs from the deployed one: an instance for each task, which persists each step",
  ],
  [
    "Agents SDK",
    "Cloudflare's SDK: an agent for each task, which stores its state and schedules its own steps",
  ],
  [
    "BullMQ",
    "a Hono server on Node with BullMQ on Redis, which flushes its log before it responds: a job for each task",
  ],
  [
    "pg-boss",
    "a Hono server on Node with pg-boss on PostgreSQL with default settings: a job for each task, and a table from which tasks are listed",
  ],
]);

/** The description of a contestant; null if the name is unknown. */
export function whatItDoes(contestant: string): string | null {
  return DOES.get(contestant) ?? null;
}

/** Whether an entry is of Bosun, in any variant. */
export function isBosun(contestant: string): boolean {
  return /^bosun\b/i.test(contestant);
}
