import { toJsonObject, tryParseJson } from "../../kernel/json.ts";
import { toIsoTime } from "../../kernel/text.ts";
import type { AuditRow } from "../model/audit-chain.ts";
import type { AuditRowResponse } from "./schemas.ts";

/** A row as clients see it. Its fields have the same order as in the text that is hashed. */
export function auditRowView({ at, before, after, ...row }: AuditRow): AuditRowResponse {
  const { seq, keyId, sessionId, address, userAgent, action } = row;
  const { subjectType, subjectId, requestId, previousHash, hash } = row;
  return {
    seq,
    at: toIsoTime(at),
    keyId,
    sessionId,
    address,
    userAgent,
    action,
    subjectType,
    subjectId,
    before: before === null ? null : toJsonObject(tryParseJson(before)),
    after: after === null ? null : toJsonObject(tryParseJson(after)),
    requestId,
    previousHash,
    hash,
  };
}
