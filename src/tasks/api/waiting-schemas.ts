import * as z from "zod";
import { PAUSE_CAUSES } from "../../agents/model/pause.ts";
import * as schema from "../../http/schemas.ts";
import { AGENT_WAIT_REASONS, type WaitKind } from "../model/waiting.ts";
import { blockKindSchema } from "./value-schemas.ts";

const openQuestionSchema = schema.component("OpenQuestion", "The question of a blocked task.", {
  id: schema.text(
    "Identifies the question within the task. It is the `seq` of the `blocked` event that asked it.",
    "7",
  ),
  kind: blockKindSchema,
  text: schema.text("The agent's question."),
  approvalIds: schema.optional.textList(
    "The ids of the approvals that the task waits for (see GET /agents/approvals). Such a question cannot be answered; absent for other questions.",
  ),
});

function waitSchema<Kind extends WaitKind, Shape extends z.core.$ZodLooseShape>(
  kind: Kind,
  description: string,
  shape: Shape,
) {
  return schema.component(`${schema.toPascalCase(kind)}Wait`, description, {
    kind: z.literal(kind),
    since: schema.instant("When the task began to wait."),
    message: schema.text("A human-readable explanation."),
    ...shape,
  });
}

/** Why a task is not progressing. */
export const waitingForSchema = z
  .discriminatedUnion("kind", [
    waitSchema("agent", "The task is waiting for an agent or a worker.", {
      reason: z
        .enum(AGENT_WAIT_REASONS)
        .describe(
          "`unassigned`: no suitable agent is available. `unavailable`: the requested agent is disabled, no longer registered, or not in the task's team. `unclaimed`: no worker of the assigned agent has claimed the task or, if it is in progress, continued it.",
        ),
      agentId: schema.optional.text(
        "The requested or assigned agent; absent if any agent can do the task.",
      ),
    }),
    waitSchema("slot", "The task is waiting in its agent's queue for a free slot.", {
      agentId: schema.text("The agent."),
    }),
    waitSchema("pause", "The task's agent is paused. Lists show `agent` or `slot` instead.", {
      agentId: schema.text("The agent."),
      cause: z.enum(PAUSE_CAUSES).describe("Why the agent is paused, as in `paused.cause`."),
    }),
    waitSchema("question", "The task is `blocked` until someone answers its question.", {
      question: openQuestionSchema,
    }),
    waitSchema("review", "The work is ready for review.", {}),
    waitSchema("retry", "A worker lost the task, and the next attempt has not started yet.", {
      at: schema.instant("When the next attempt starts."),
    }),
    waitSchema(
      "turn",
      "The last turns of a model or an A2A agent failed, and the service will retry. Does not appear in lists.",
      {
        failures: z.int().min(1).describe("The number of failed turns in a row."),
        at: schema.instant("When the next turn starts or started."),
      },
    ),
  ])
  .meta({ id: "WaitingFor", description: "Why a task is not progressing." });
