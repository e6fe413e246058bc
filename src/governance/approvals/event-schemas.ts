import * as z from "zod";
import * as schema from "../../http/schemas.ts";
import { APPROVAL_STATUSES, type ApprovalEventType } from "../model/approval-status.ts";

const toolId = schema.text("The id of the tool.");
const capability = schema.text("The id of the capability.");

/** Defines one event type as the component `Approval<Type>FeedEvent`. */
function eventSchema<Type extends ApprovalEventType, Shape extends z.core.$ZodLooseShape>(
  type: Type,
  description: string,
  shape: Shape,
) {
  const name = schema.toPascalCase(type.replace(".", "_"));
  const data = schema.component(`${name}Data`, null, { toolId, capability, ...shape });
  return schema.component(`${name}FeedEvent`, description, {
    approvalId: schema.text("The id of the approval."),
    taskId: schema.optional.text("The task that the call belongs to; absent if there is none."),
    seq: z.int().min(1).max(3).describe("The position of the event in the approval."),
    type: z.literal(type),
    at: schema.instant("When the event occurred."),
    agentId: schema.optional.text("The agent that calls; absent if there is none."),
    teamId: schema.optional.text("The team that the call belongs to; absent if there is none."),
    title: schema.text("The tool and the capability."),
    data,
  });
}

/** The events of calls that require approval, which have no task log. */
export const APPROVAL_EVENTS = [
  eventSchema("approval.requested", "A call was stored and waits for approval.", {
    policies: schema.textList("The ids of the policies that require approval."),
    reason: schema.text("Why approval is required."),
    estimatedCost: z.number().min(0).describe("The highest possible price, in US dollars."),
    expiresAt: schema.instant("When the call is denied if nobody has decided."),
  }),
  eventSchema("approval.decided", "A call was approved, denied or withdrawn, or nobody decided.", {
    status: z
      .enum(["approved", "denied", "expired", "withdrawn"])
      .describe("The decision. `expired` and `withdrawn` mean that the call is not made."),
    decidedBy: schema.optional.textList(
      "The ids of the keys that decided. Not shown to keys that are bound to an agent or a team.",
    ),
    message: schema.optional.text("What the person who decided wrote."),
  }),
  eventSchema("approval.executed", "An approved call was made or could not be made.", {
    status: z.enum(APPROVAL_STATUSES).describe("`executed`, `failed` or `unknown`."),
    cost: z.number().optional().describe("The cost of the call, in US dollars."),
    durationMs: z.number().optional().describe("The duration of the call, in milliseconds."),
    error: z
      .strictObject({
        code: schema.text("The error code."),
        message: schema.text("What went wrong."),
      })
      .optional()
      .describe("Why the call failed."),
  }),
] as const;
