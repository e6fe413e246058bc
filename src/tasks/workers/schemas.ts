import * as z from "zod";
import { CLAIM_TASKS_MAX } from "../../agents/limits.ts";
import {
  CLAIM_WAIT_MAX_MS,
  ERROR_DETAILS_BYTES_MAX,
  LEASE_SECONDS_DEFAULT,
  LEASE_SECONDS_MAX,
  LEASE_SECONDS_MIN,
  LEASE_TOKEN_CHARACTERS_MAX,
  COMMENT_CHARACTERS_MAX,
  SUMMARY_CHARACTERS_MAX,
} from "../limits.ts";
import { ID_CHARACTERS_MAX, LIST_ITEMS_MAX, NAME_CHARACTERS_MAX } from "../../kernel/limits.ts";
import type { WorkerReport } from "../model/command.ts";
import { checkJsonSize } from "../../kernel/json.ts";
import { BLOCK_KINDS } from "../model/task.ts";
import { jsonObject, redactedString, customIssue } from "../../http/validation.ts";

const CLAIM_WAIT_SECONDS_MAX = CLAIM_WAIT_MAX_MS / 1_000;

const remark = z.string().min(1).max(COMMENT_CHARACTERS_MAX);
const label = z.string().min(1).max(NAME_CHARACTERS_MAX);

/** Body of POST /agents/tasks/claim. */
export const claimBody = z.strictObject({
  agentId: z.string().min(1).max(ID_CHARACTERS_MAX).optional(),
  worker: label.optional(),
  max: z.int().min(1).max(CLAIM_TASKS_MAX).default(1),
  waitSeconds: z.number().min(0).max(CLAIM_WAIT_SECONDS_MAX).default(CLAIM_WAIT_SECONDS_MAX),
  leaseSeconds: z
    .int()
    .min(LEASE_SECONDS_MIN)
    .max(LEASE_SECONDS_MAX)
    .default(LEASE_SECONDS_DEFAULT),
});
export type ClaimBody = z.output<typeof claimBody>;

/** The token proves that the worker holds the task, so no message repeats it. The task checks it. */
const lease = redactedString(
  LEASE_TOKEN_CHARACTERS_MAX,
  "must be the token of a lease",
  () => true,
);

const findings = z.array(remark).max(LIST_ITEMS_MAX).default([]);
const figure = z.number().min(0).max(100);
const outcome = {
  lease,
  result: z.strictObject({
    summary: z.string().min(1).max(SUMMARY_CHARACTERS_MAX),
    insights: findings,
    recommendations: findings,
  }),
  quality: z
    .strictObject({ score: figure, accuracy: figure, completeness: figure, clarity: figure })
    .optional(),
};

const details = jsonObject.check(({ value, issues }) => {
  const problem = checkJsonSize(value, ERROR_DETAILS_BYTES_MAX);
  if (problem !== null) issues.push(customIssue(problem, value));
});

/** Body of POST /agents/tasks/:id/report. */
export const reportBody = z.discriminatedUnion("type", [
  z.strictObject({ type: z.literal("heartbeat"), lease }),
  z.strictObject({
    type: z.literal("progress"),
    lease,
    progress: z.int().min(0).max(99),
    phase: label.optional(),
    work: jsonObject.optional(),
  }),
  z.strictObject({
    type: z.literal("blocked"),
    lease,
    kind: z.enum(BLOCK_KINDS).default("input"),
    question: remark,
    work: jsonObject.optional(),
  }),
  z.strictObject({ type: z.literal("review"), ...outcome }),
  z.strictObject({ type: z.literal("completed"), ...outcome }),
  z.strictObject({
    type: z.literal("failed"),
    lease,
    error: z.strictObject({
      message: remark,
      retryable: z.boolean().default(true),
      details: details.optional(),
    }),
  }),
  z.strictObject({
    type: z.literal("released"),
    lease,
    reason: remark.optional(),
    work: jsonObject.optional(),
  }),
]);
export type ReportBody = z.output<typeof reportBody>;

/** What a body reports. */
export function toWorkerReport(body: ReportBody): WorkerReport {
  switch (body.type) {
    case "heartbeat":
      return { type: "heartbeat" };
    case "progress": {
      const { type, progress, phase = null, work = null } = body;
      return { type, progress, phase, work };
    }
    case "blocked": {
      const { type, kind, question, work = null } = body;
      return { type, kind, question, work };
    }
    case "review":
    case "completed": {
      const { type, result, quality = null } = body;
      return { type, result, quality };
    }
    case "released": {
      const { type, reason = null, work = null } = body;
      return { type, reason, work };
    }
    case "failed": {
      const { message, retryable, details: more = null } = body.error;
      return { type: body.type, message, retryable, details: more };
    }
  }
}

/** Query of PUT /agents/tasks/:id/deliverables/:name. */
export const uploadQuery = z.object({
  type: z.string().min(1).max(ID_CHARACTERS_MAX).optional(),
});
