/** Describes how each contestant executes tasks, by name. */
const DOES: ReadonlyMap<string, string> = new Map([
  ["Bosun", "this service, with all its validation and storage"],
  [
    "baseline",
    "the least that a Worker can do for the same tasks, without validation: each task has an object and a D1 insert, and each step an insert and an alarm",
  ],
  [
    "Workflows",
    "Cloudflare Workflows in miniflare's local engine, which differs from the deployed one; each task is an instance, which persists each step",
  ],
  [
    "Agents SDK",
    "Cloudflare's Agents SDK; each task is an agent, which stores its state and schedules its own steps",
  ],
  [
    "BullMQ",
    "a Hono server on Node with BullMQ on Redis, which flushes its log before it responds; each task is a job",
  ],
  [
    "pg-boss",
    "a Hono server on Node with pg-boss on PostgreSQL, which has its default settings; each task is a job and a row of a table that is used for lists",
  ],
]);

/** Returns the description of a contestant, or null if the name is unknown. */
export function whatItDoes(contestant: string): string | null {
  return DOES.get(contestant) ?? null;
}

/** Whether a contestant is Bosun, in any variant. */
export function isBosun(contestant: string): boolean {
  return /^bosun\b/i.test(contestant);
}
