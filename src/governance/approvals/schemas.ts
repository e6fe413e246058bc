import * as z from "zod";
import * as schema from "../../http/schemas.ts";
import { idText, pageQueryOf, queryChoices } from "../../http/validation.ts";
import { DECISION_MESSAGE_CHARACTERS_MAX } from "../limits.ts";
import { APPROVAL_STATUSES } from "../model/approval-status.ts";

const message = z
  .string()
  .max(DECISION_MESSAGE_CHARACTERS_MAX)
  .trim()
  .min(1)
  .meta({ pattern: "\\S" })
  .optional();

/** Body of POST /agents/approvals/:id/approve. */
export const approveBody = z.strictObject({
  message: message.describe("A remark, which is stored with the decision."),
});

/** Body of POST /agents/approvals/:id/deny. */
export const denyBody = z.strictObject({
  message: message.describe("Why the call is denied. The agent sees it."),
});

/** Query of GET /agents/approvals. */
export const listApprovalsQuery = z.object({
  status: queryChoices(APPROVAL_STATUSES)
    .optional()
    .describe("Only approvals with this status. Repeat it, or separate statuses by commas."),
  agentId: idText.optional().describe("Only calls of this agent."),
  taskId: idText.optional().describe("Only calls of this task."),
  toolId: idText.optional().describe("Only calls of this tool."),
  ...pageQueryOf("Approvals"),
});

const statusSchema = z
  .enum(APPROVAL_STATUSES)
  .describe(
    "`pending` until people decide; then `denied`, or `approved`, `executing` and finally `executed` or `failed`. `unknown`: the call was started, but its outcome was lost. `expired`: nobody decided in time. `withdrawn`: the call's task ended first.",
  );

const summaryFields = {
  id: schema.text("The approval's id."),
  status: statusSchema,
  toolId: schema.text("The called tool."),
  capability: schema.text("The called capability."),
  agentId: schema.optional.text("The agent that calls; absent if there is none."),
  taskId: schema.optional.text("The task that the call belongs to; absent if there is none."),
  reason: schema.text("Why the call requires approval: the reason of the first policy."),
  estimatedCost: z
    .number()
    .min(0)
    .describe("The highest possible price of the call, in US dollars."),
  requestedBy: schema.optional.text(
    "The id of the key with which the call was made; absent if the service made it for an agent, and for keys that are bound to an agent or a team.",
  ),
  requestedAt: schema.instant("When the call was made."),
  expiresAt: schema.instant("When the call is denied if nobody has decided."),
  decidedAt: schema.optional.instant(
    "When the call was approved, denied or withdrawn, or expired; absent while it is pending.",
  ),
};

const approvalSummarySchema = schema.component(
  "ApprovalSummary",
  "A call that required approval.",
  { ...summaryFields, policies: schema.textList("The ids of the policies that required it.") },
);
export type ApprovalSummaryResponse = schema.ResponseOf<typeof approvalSummarySchema>;

export const approvalListSchema = schema.component("ApprovalList", "One page of approvals.", {
  approvals: schema.list(approvalSummarySchema, "The approvals on the page, newest first."),
  total: schema.count("Number of approvals that match."),
  limit: z.int().min(1).describe("The requested page size."),
  offset: schema.count("The requested offset."),
});

export type ApprovalListResponse = schema.ResponseOf<typeof approvalListSchema>;

const askingPolicySchema = z.strictObject({
  id: schema.text("The policy's id."),
  reason: schema.text("Why the policy exists."),
  approvals: z.int().min(1).describe("How many different keys must approve."),
  approvers: schema.textList("The keys that may decide; empty for every key with the scope."),
});

const decisionSchema = z.strictObject({
  decision: z.enum(["approve", "deny"]).describe("What was decided."),
  by: schema.optional.text(
    "The id of the key that decided. Not shown to keys that are bound to an agent or a team.",
  ),
  at: schema.instant("When it was decided."),
  viaLink: schema.flag("Whether a signed link was used, which the key had created."),
  message: schema.optional.text("What the person wrote."),
});

export const approvalSchema = schema.component(
  "Approval",
  "A call that requires approval, exactly as it will be made, and what was decided.",
  {
    ...summaryFields,
    parameters: schema.freeForm("The parameters, exactly as they will be sent."),
    sha256: schema.matching(
      /^[0-9a-f]{64}$/,
      "The SHA-256 of the tool, the capability and the parameters, in hex.",
    ),
    destination: schema.optional.text(
      "The origin that the call is sent to; absent for a built-in tool.",
    ),
    policies: schema.list(askingPolicySchema, "The policies that required approval."),
    decisions: schema.list(decisionSchema, "The decisions, oldest first."),
    endedAt: schema.optional.instant("When the approved call ended; absent before."),
    result: schema.optional.freeForm(
      "The result of the call, or an OversizedResult; present only if the status is `executed`.",
    ),
    cost: z.number().min(0).optional().describe("The cost of the call, in US dollars."),
    error: z
      .strictObject({
        code: schema.text("The error code."),
        message: schema.text("What went wrong."),
      })
      .optional()
      .describe("Why the approved call failed."),
  },
);
export type ApprovalResponse = schema.ResponseOf<typeof approvalSchema>;

/** The response to a call that requires approval. */
export const pendingApprovalSchema = schema.component(
  "PendingApproval",
  "A call that was stored and waits for approval.",
  {
    approvalId: schema.text("The approval's id."),
    status: z.literal("pending").describe("The call has not been made."),
    url: z.url().describe("The approval, whose status and result can be read there."),
    policyId: schema.text("The policy that requires approval."),
    reason: schema.text("Why the policy exists."),
    expiresAt: schema.instant("When the call is denied if nobody has decided."),
  },
);

export const approvalLinkSchema = schema.component(
  "ApprovalLink",
  "A link with which a person can decide once, without a key.",
  {
    url: z
      .url()
      .describe("The page that shows the call and takes the decision. Treat it as a secret."),
    expiresAt: schema.instant("When the link expires."),
  },
);
