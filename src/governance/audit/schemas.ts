import * as z from "zod";
import { PAGE_LIMIT_DEFAULT, PAGE_LIMIT_MAX } from "../../kernel/limits.ts";
import { cursorText, idText, pageQueryOf, queryDate } from "../../http/validation.ts";
import * as schema from "../../http/schemas.ts";
import { CHAIN_PROBLEMS } from "../model/audit-chain.ts";
import { AUDIT_ACTIONS, AUDIT_SUBJECT_TYPES } from "../model/audit-entry.ts";

/** Query of GET /agents/audit. */
export const listAuditQuery = z.object({
  action: z.enum(AUDIT_ACTIONS).optional().describe("Only rows with this action."),
  subjectType: z
    .enum(AUDIT_SUBJECT_TYPES)
    .optional()
    .describe("Only rows about subjects of this type."),
  subjectId: z
    .string()
    .min(1)
    .max(300)
    .optional()
    .describe("Only rows about the subject with this id, such as an agent's id."),
  keyId: idText.optional().describe("Only rows of changes that this key made."),
  from: queryDate("start")
    .optional()
    .describe(
      "Only rows from this time or later. A date-time with a time zone, or a date, which means its start in UTC.",
    ),
  to: queryDate("end")
    .optional()
    .describe(
      "Only rows from before this time. A date-time with a time zone, or a date, which means its end in UTC.",
    ),
  format: z
    .enum(["json", "ndjson"])
    .optional()
    .describe("`ndjson` for an export; takes precedence over `Accept`."),
  cursor: cursorText.describe(
    "The `nextCursor` of a response to a request with the same filters. Not for exports.",
  ),
  limit: pageQueryOf("Rows").limit,
});
export type AuditQuery = z.output<typeof listAuditQuery>;

const HASH = /^[0-9a-f]{64}$/;

const auditRowSchema = schema.component(
  "AuditRow",
  "A row of the audit log. `hash` is the SHA-256 of the row's line in an export without `hash`.",
  {
    seq: z.int().min(1).describe("The row's number: 1, 2, 3 and so on, without gaps."),
    at: schema.instant("When the change was made."),
    keyId: schema.text(
      "Id of the key that made the change: `root` for the root key, `service` for the service itself.",
    ),
    sessionId: z
      .string()
      .nullable()
      .describe("The console session that made the change; null if a key made it directly."),
    address: z.string().nullable().describe("The client's IP address."),
    userAgent: z.string().nullable().describe("The client's `User-Agent`, cut off if it is long."),
    action: schema.text("What happened.", "agent.changed"),
    subjectType: schema.text("The type of what was changed.", "agent"),
    subjectId: schema.text("The id of what was changed.", "researcher"),
    before: schema
      .freeForm(
        "The state before the change, without secrets. Only the changed fields if there is also a state after it. A long state is cut off: `{cut: {start, bytes, sha256}}`.",
      )
      .nullable(),
    after: schema.freeForm("The state after the change, in the same form.").nullable(),
    requestId: z.string().nullable().describe("The `X-Request-Id` of the request."),
    previousHash: schema.matching(
      HASH,
      "The `hash` of the previous row; the SHA-256 of an empty text for the first row.",
    ),
    hash: schema.matching(HASH, "The hash of this row, which includes `previousHash`."),
  },
);
export type AuditRowResponse = schema.ResponseOf<typeof auditRowSchema>;

export const auditPageSchema = schema.component("AuditPage", "One page of the audit log.", {
  rows: schema.list(auditRowSchema, "The rows, newest first."),
  limit: z
    .int()
    .min(1)
    .max(PAGE_LIMIT_MAX)
    .describe(`The requested page size; ${PAGE_LIMIT_DEFAULT} by default.`),
  nextCursor: z
    .string()
    .nullable()
    .describe("Send it as `cursor` to get the next page; null on the last page."),
});

/** A line of an export is a row as JSON. */
export const auditExportSchema = z
  .string()
  .describe("One row per line, as JSON, oldest first. Each line has the fields of an AuditRow.");

const position = z
  .strictObject({
    seq: z.int().min(1).describe("The row's number."),
    hash: z.string().regex(HASH, { error: "must be 64 hex digits" }).describe("The row's hash."),
  })
  .describe(
    "A row that you have seen, for example in an earlier verification. The log must still contain it with this hash, and only the rows after it are verified.",
  );

/** Body of POST /agents/audit/verify. */
export const verifyAuditBody = z.strictObject({ since: position.optional() });

export const auditVerificationSchema = schema.component(
  "AuditVerification",
  "The result of verifying a part of the audit log.",
  {
    valid: schema.flag("Whether the verified rows are unchanged and complete."),
    complete: schema.flag(
      "Whether the end of the log was reached. If not, send `lastSeq` and `lastHash` as `since` to continue.",
    ),
    rows: schema.count("How many rows were verified."),
    firstSeq: z.int().min(1).nullable().describe("The first verified row; null if there is none."),
    lastSeq: schema.count("The last valid row; 0 if there is none."),
    lastHash: schema.matching(HASH, "The hash of that row. Keep it to detect a rewritten log."),
    brokenAt: z.int().min(1).optional().describe("The row at which the chain is broken."),
    problem: z
      .enum([...CHAIN_PROBLEMS, "hash_mismatch"])
      .optional()
      .describe(
        "`row_missing`: the row does not exist. `row_altered`: its hash does not match its content. `link_broken`: it does not refer to the row before it. `hash_mismatch`: it does not have the hash in `since`.",
      ),
  },
);
export type AuditVerificationResponse = schema.ResponseOf<typeof auditVerificationSchema>;
