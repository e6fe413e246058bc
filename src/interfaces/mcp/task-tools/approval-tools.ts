import * as z from "zod";
import {
  findApproval,
  listVisibleApprovals,
  readApprovalView,
} from "../../../governance/approvals/read-approval.ts";
import { listApprovalsQuery } from "../../../governance/approvals/schemas.ts";
import { ID_CHARACTERS_MAX } from "../../../kernel/limits.ts";
import { ok } from "../../../kernel/result.ts";
import { defineTaskTool, READ_ANNOTATIONS, stringifyNumbers, type TaskTool } from "./task-tool.ts";

/** The tools with which an agent follows its calls that wait for approval. No MCP tool decides about a call. */
export const APPROVAL_TOOLS: readonly TaskTool[] = [
  defineTaskTool({
    name: "get_approval",
    title: "Read an approval",
    description:
      "Returns a call that waits for approval, by the approvalId that the call returned: its status and, after people approved it and it was made, its result. Calls are approved by people, so wait at least some seconds before you read it again.",
    scope: "tools:invoke",
    annotations: READ_ANNOTATIONS,
    input: z.strictObject({
      approvalId: z.string().min(1).max(ID_CHARACTERS_MAX).describe("The id of the approval."),
    }),
    async execute({ env, key, origin }, { approvalId }) {
      const found = await findApproval(env, key, approvalId);
      return found.ok ? ok(await readApprovalView(env, found.value, key, origin)) : found;
    },
  }),
  defineTaskTool({
    name: "list_approvals",
    title: "List approvals",
    description:
      "Lists the calls of this key and its agents that required approval, newest first, one page at a time.",
    scope: "tools:invoke",
    annotations: READ_ANNOTATIONS,
    // The query schema expects numbers as text, but arguments contain numbers.
    input: z.preprocess(stringifyNumbers, listApprovalsQuery.strict()),
    execute: async ({ env, key }, query) => ok(await listVisibleApprovals(env, key, query)),
  }),
];
