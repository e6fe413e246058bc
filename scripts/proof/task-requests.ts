import { PRIORITIES } from "../../src/tasks/model/task.ts";
import type { Bosun } from "./bosun.ts";
import { Client } from "./client.ts";
import type { Rng } from "./rng.ts";
import { History } from "./history.ts";

/** The agents whose tasks are claimed by the workers in these proofs. */
export const WORKER_AGENTS = ["hands", "checked"] as const;
/** An agent without workers. Only a deadline or a cancellation ends its tasks. */
export const NOBODY = "nobody";
/** A built-in agent with so few slots that its tasks go through a queue. */
const BENCH = "bench";
const BENCH_PLACES = 3;

const AGENTS = [
  { id: "hands", executor: { type: "worker" } },
  { id: "checked", executor: { type: "worker" }, requireReview: true },
  { id: NOBODY, executor: { type: "worker" } },
  { id: BENCH, executor: { type: "builtin" }, maxConcurrentTasks: BENCH_PLACES },
];
/** The ids of the agents registered here, all of which have queues. */
export const AGENT_IDS: readonly string[] = AGENTS.map(({ id }) => id);
const GRANTS = [{ agentId: BENCH, toolId: "text-analyst" }];

const TEXTS = [
  "It rained. Then the rain stopped, and the harbour was quiet again.",
  "The pier is old. The wind took two boards of it, and the tide took a third.",
  "Gulls came in the morning; by noon the boats had gone, and so had the gulls.",
];
const TABLE = "day,sold,price\nMon,10,2.5\nTue,14,2.4\nWed,9,2.9\nThu,21,2.1\nFri,17,2.2";

export type TaskRequestKind =
  /** For any suitable seeded agent. */
  | "anyAgent"
  /** For any suitable seeded agent, which asks a question first. */
  | "asking"
  /** For any suitable seeded agent, with a budget for too few calls. */
  | "frugal"
  | "bench"
  | "hands"
  | "checked"
  /** For workers, with a deadline that may pass during the work. */
  | "hurried"
  /** For the agent without workers, with a deadline that ends the task. */
  | "dated"
  /** For workers, with a time budget of a few seconds. */
  | "brief";

/** Registers the agents for the task requests, in addition to the seeded ones. */
export async function registerAgents(bosun: Bosun): Promise<void> {
  const client = new Client("founder", bosun, new History());
  for (const [path, bodies] of [
    ["/agents", AGENTS],
    ["/agents/tools/access", GRANTS],
  ] as const) {
    for (const body of bodies) {
      const { exchange } = await client.ask({ kind: "set-up", method: "POST", path, body });
      if (exchange.result !== "acknowledged") throw new Error(`${path}: ${exchange.reason}`);
    }
  }
}

/** The request body for a task of this kind. `mark` is part of the task's text. */
export function taskRequestOf(kind: TaskRequestKind, rng: Rng, mark: string): object {
  const text = rng.pick(TEXTS);
  const basis = { task: `Read what there is ${mark}`, priority: rng.pick(PRIORITIES) };
  switch (kind) {
    case "anyAgent": {
      const context = rng.isHit(0.5) ? { csv: TABLE } : { text };
      return { ...basis, context, deliverables: rng.pick([[], ["summary"], ["report"]]) };
    }
    case "asking":
      return { ...basis, context: { text, askFirst: "Who is it for?" } };
    case "frugal":
      return { ...basis, context: { text, csv: TABLE }, budget: { maxToolCalls: 1 } };
    case "bench":
      return { ...basis, agentId: BENCH, context: { text } };
    case "hands":
    case "checked":
      return { ...basis, agentId: kind, context: { text } };
    case "hurried":
      return { ...basis, agentId: "hands", deadline: inSeconds(rng.integer(1, 5)) };
    case "dated":
      return { ...basis, agentId: NOBODY, deadline: inSeconds(rng.integer(1, 6)) };
    case "brief":
      return { ...basis, agentId: "hands", budget: { maxDurationSeconds: 2 } };
  }
}

function inSeconds(seconds: number): string {
  return new Date(Date.now() + seconds * 1_000).toISOString();
}
