import * as z from "zod";
import type { TaskErrorCode } from "../../../domain/task.ts";
import { freeForm } from "./free-form.ts";
import { instant } from "./instant.ts";

const MEANINGS: Readonly<Record<TaskErrorCode, string>> = {
  AGENT_ERROR: "the agent could not do the work, or gave up",
  TOOL_ERROR: "a tool that the work needs refused, failed or could not read its input",
  DEADLINE_EXCEEDED: "the deadline passed before the work was done",
  LEASE_EXPIRED: "workers sent no report before their leases ended, in three attempts in a row",
  BUDGET_EXCEEDED: "the budget's seconds were used up, or people did not raise its limits",
  REVIEW_REJECTED: "the reviewer rejected the work",
  NO_AGENT_AVAILABLE: "no fitting agent was found before the deadline",
  DELIVERABLE_STORE_FAILED: "the store of files failed for fifteen minutes",
  INTERNAL_ERROR: "the service itself failed for fifteen minutes",
};

const CODES = [
  "AGENT_ERROR",
  "TOOL_ERROR",
  "DEADLINE_EXCEEDED",
  "LEASE_EXPIRED",
  "BUDGET_EXCEEDED",
  "REVIEW_REJECTED",
  "NO_AGENT_AVAILABLE",
  "DELIVERABLE_STORE_FAILED",
  "INTERNAL_ERROR",
] as const satisfies readonly TaskErrorCode[];

const taskErrorCode = z.enum(CODES).meta({
  id: "TaskErrorCode",
  description: `Why an attempt failed.\n\n${CODES.map((code) => `- \`${code}\`: ${MEANINGS[code]}`).join("\n")}`,
});

const error = {
  code: taskErrorCode,
  message: z.string().meta({ description: "What happened, for people to read." }),
  retryable: z.boolean().meta({
    description: "Whether the same work may succeed another time. A retry is allowed either way.",
  }),
  details: freeForm("What the agent tells of its failure beside the message.").optional(),
};

/** An error as events hold it. */
export const taskError = z
  .strictObject(error)
  .meta({ id: "TaskError", description: "Why an attempt failed." });

/** An error as tasks show it. */
export const shownError = z
  .strictObject({
    ...error,
    attempt: z.int().min(1).meta({ description: "The attempt that failed, from 1." }),
    at: instant("When it failed."),
  })
  .meta({ id: "AttemptError", description: "Why and when an attempt failed." });
