import { defineOperation, respond } from "../../http/operation.ts";
import * as schemas from "./schemas.ts";

const VISIBILITY =
  "An unbound key with the scope `approvals:decide` sees all approvals; any other key sees the calls that it made and those of its agents.";
const DECIDERS =
  "The key that made the call, keys that it created, and keys that act for the calling agent cannot decide.";

const PAGE = {
  status: 200,
  description: "The page.",
  content: { "text/html": {} },
} as const;

export const approvalOperations = {
  /** GET /agents/approvals */
  listApprovals: defineOperation({
    operationId: "listApprovals",
    tag: "Approvals",
    access: "key",
    query: schemas.listApprovalsQuery,
    repeatedQuery: ["status"],
    summary: "List approvals",
    description: `Returns one page of the calls that required approval, newest first. ${VISIBILITY}`,
    responses: [respond(200, "A page of approvals.", schemas.approvalListSchema)],
  }),

  /** GET /agents/approvals/:id */
  getApproval: defineOperation({
    operationId: "getApproval",
    tag: "Approvals",
    access: "key",
    summary: "Read an approval",
    description: `Returns a call that requires approval: exactly what will be sent, what was decided and, after the call was made, its result. ${VISIBILITY}`,
    responses: [respond(200, "The approval.", schemas.approvalSchema)],
    errorCodes: ["APPROVAL_NOT_FOUND"],
  }),

  /** POST /agents/approvals/:id/approve */
  approveCall: defineOperation({
    operationId: "approveCall",
    tag: "Approvals",
    scope: "approvals:decide",
    body: schemas.approveBody,
    bodyIsOptional: true,
    summary: "Approve a call",
    description: `Approves a call. When enough keys have approved it, the service makes the stored call, at most once, after checking the grant, the policies, the budget and the tool again. ${DECIDERS} Approving again changes nothing.`,
    responses: [respond(200, "The approval.", schemas.approvalSchema)],
    errorCodes: ["APPROVAL_DECIDED", "APPROVER_NOT_ALLOWED"],
  }),

  /** POST /agents/approvals/:id/deny */
  denyCall: defineOperation({
    operationId: "denyCall",
    tag: "Approvals",
    scope: "approvals:decide",
    body: schemas.denyBody,
    bodyIsOptional: true,
    summary: "Deny a call",
    description: `Denies a call, which is then never made. One denial suffices. ${DECIDERS}`,
    responses: [respond(200, "The approval.", schemas.approvalSchema)],
    errorCodes: ["APPROVAL_DECIDED", "APPROVER_NOT_ALLOWED"],
  }),

  /** POST /agents/approvals/:id/link */
  createApprovalLink: defineOperation({
    operationId: "createApprovalLink",
    tag: "Approvals",
    scope: "approvals:decide",
    summary: "Create a link for a decision",
    description: `Creates a signed link to a page that shows the call and takes one decision, which counts as this key's decision. The link needs no key, works on a phone, and expires with the approval or after 24 hours. It stops working if this key ends. ${DECIDERS}`,
    responses: [respond(201, "The link was created.", schemas.approvalLinkSchema)],
    errorCodes: ["APPROVAL_DECIDED", "APPROVER_NOT_ALLOWED"],
  }),

  /** GET /agents/approvals/:id/decision */
  openApprovalLink: defineOperation({
    operationId: "openApprovalLink",
    tag: "Approvals",
    access: "public",
    ignoresUnknownQuery: true,
    summary: "Open a link for a decision",
    description:
      "Shows the call behind a link from POST /agents/approvals/{id}/link, with buttons to approve or deny it. Opening the page decides nothing.",
    responses: [PAGE],
    errorCodes: ["AUTHENTICATION_FAILED", "APPROVAL_NOT_FOUND"],
    hasHtmlErrors: true,
  }),

  /** POST /agents/approvals/:id/decision */
  decideByLink: defineOperation({
    operationId: "decideByLink",
    tag: "Approvals",
    access: "public",
    ignoresUnknownQuery: true,
    rawBody:
      "The form of the link's page: `decision` is `approve` or `deny`, and `message` is optional.",
    summary: "Decide with a link",
    description:
      "Takes the decision of the person who opened a link. A link decides once; it counts as the decision of the key that created it.",
    responses: [PAGE],
    errorCodes: [
      "AUTHENTICATION_FAILED",
      "APPROVAL_NOT_FOUND",
      "APPROVAL_DECIDED",
      "APPROVER_NOT_ALLOWED",
    ],
    hasHtmlErrors: true,
  }),
};
