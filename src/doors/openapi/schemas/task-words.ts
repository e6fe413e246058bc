import * as z from "zod";
import { EXECUTOR_TYPES } from "../../../domain/agent.ts";
import { BLOCK_KINDS, PRIORITIES, TASK_STATUSES } from "../../../domain/task.ts";

export const taskStatus = z.enum(TASK_STATUSES).meta({
  id: "TaskStatus",
  description: `Where a task stands.

- \`pending\`: created, or about to begin its next attempt; not yet with an agent
- \`assigned\`: given to an agent, waiting for a place or a worker
- \`in_progress\`: being worked on, or waiting to be claimed again after people have answered
- \`blocked\`: waiting for an answer; \`blocked\` says which
- \`review\`: the work is done and waits for approval
- \`completed\`: done. Never changes again
- \`failed\`: ended with an \`error\`; may be retried
- \`cancelled\`: called off. Never changes again`,
});

export const priority = z.enum(PRIORITIES).meta({
  id: "Priority",
  description: "How urgent a task is: the order in which an agent's waiting tasks get their turn.",
});

export const blockKind = z.enum(BLOCK_KINDS).meta({
  id: "BlockKind",
  description:
    "What a blocked task waits for: `input` (information), `approval`, `auth` (permission or credentials), `budget` (higher limits), `dependency` (something else that must happen first).",
});

export const executorType = z.enum(EXECUTOR_TYPES).meta({
  id: "ExecutorType",
  description:
    "How an agent works: `builtin` (inside the service), `model` (a language model), `a2a` (an agent elsewhere that speaks A2A), `worker` (processes that claim tasks).",
});
