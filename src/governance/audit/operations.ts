import { defineOperation, respond } from "../../http/operation.ts";
import * as schemas from "./schemas.ts";

export const auditOperations = {
  /** GET /agents/audit */
  listAudit: defineOperation({
    operationId: "listAudit",
    tag: "Audit",
    scope: "audit:read",
    query: schemas.listAuditQuery,
    summary: "Read or export the audit log",
    description: `Returns who changed the configuration, when, from where and how, who signed in and out, and which calls were denied by policies. Secrets are never recorded. Filters can be combined.

**As JSON**, the rows are returned in pages, newest first.

**As an export**, with \`Accept: application/x-ndjson\` or \`format=ndjson\`, all matching rows are sent, oldest first, one per line. \`limit\` has no effect. The export is itself recorded in the log, and its row is the last one that it can contain.`,
    headers: {
      Accept: {
        description: "`application/x-ndjson` for an export.",
        example: "application/json",
      },
    },
    responses: [
      respond(200, "A page of the log, or the export.", schemas.auditPageSchema, {
        content: { "application/x-ndjson": { schema: schemas.auditExportSchema } },
      }),
    ],
  }),

  /** POST /agents/audit/verify */
  verifyAudit: defineOperation({
    operationId: "verifyAudit",
    tag: "Audit",
    scope: "audit:read",
    body: schemas.verifyAuditBody,
    bodyIsOptional: true,
    summary: "Verify the audit log",
    description: `Checks that no row of the log was changed, inserted or deleted, except for expired rows. One request verifies up to 10,000 rows. Repeat it with the returned \`lastSeq\` and \`lastHash\` as \`since\` until \`complete\` is true.

A person with write access to the whole database can compute new hashes or delete the last rows. To detect this, keep \`lastSeq\` and \`lastHash\` in another system, and send them as \`since\` later.`,
    responses: [respond(200, "The result.", schemas.auditVerificationSchema)],
  }),
};
