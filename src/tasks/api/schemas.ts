import * as z from "zod";
import { checkContextOptions, checkDeadline } from "../model/fields.ts";
import {
  BUDGET_SECONDS_MAX,
  NOTES_CHARACTERS_MAX,
  COMMENT_CHARACTERS_MAX,
  TASK_CHARACTERS_MAX,
  TASK_WAIT_MAX_MS,
} from "../limits.ts";
import { LIST_ITEMS_MAX, PAGE_LIMIT_MAX } from "../../kernel/limits.ts";
import { feedbackFields } from "./task-schemas.ts";
import { PRIORITIES, REVIEW_DECISIONS, TASK_STATUSES, type TaskBudget } from "../model/task.ts";
import {
  cursorText,
  idText,
  jsonObject,
  pageQueryOf,
  queryInteger,
  customIssue,
} from "../../http/validation.ts";

const remark = z.string().min(1).max(COMMENT_CHARACTERS_MAX);

const DEADLINE_RULE = "must be an ISO 8601 date-time with a zone, such as 2030-01-31T12:00:00Z";
const instant = z.iso.datetime({ offset: true, error: DEADLINE_RULE, abort: true });
/** An instant in milliseconds since 1970, at any time. */
const anyDeadline = instant.transform((text) => Date.parse(text));
/** A deadline in the future. The task checks it again, because it may pass in between. */
const deadline = instant
  .check((given) => {
    const problem = checkDeadline(Date.parse(given.value), Date.now());
    if (problem !== null) given.issues.push(customIssue(problem, given.value));
  })
  .transform((text) => Date.parse(text));

const DEADLINE_DESCRIPTION =
  "The deadline, at which the task fails unless it has ended: in the future, and at most five years from now. Enforced within a second.";

const budget = z
  .looseObject({
    maxCost: z
      .number()
      .min(0)
      .optional()
      .describe(
        "The maximum total cost of tools and models, in US dollars. If the next call would exceed it, the task is `blocked` with kind `budget` until it is answered.",
      ),
    maxToolCalls: z
      .int()
      .min(0)
      .optional()
      .describe(
        "The maximum number of tool calls, over all attempts. When they are used up, the task is `blocked` with kind `budget`.",
      ),
    maxDurationSeconds: z
      .number()
      .min(1)
      .max(BUDGET_SECONDS_MAX)
      .optional()
      .describe(
        "Seconds that the agent may work in one attempt; then the attempt fails with `BUDGET_EXCEEDED`. Time in `blocked`, in `review` and in the queue does not count.",
      ),
  })
  .transform(budgetOf);

/** Checks the context fields that control agents; all other fields are free-form. */
const contextObject = jsonObject
  .check(({ value, issues }) => {
    for (const [name, problem] of checkContextOptions(value)) {
      if (problem !== null) issues.push(customIssue(problem, value[name], name));
    }
  })
  .meta({
    properties: {
      requireReview: {
        anyOf: [{ type: "boolean" }, { type: "null" }],
        description: "Whether people approve the work before the task is completed.",
      },
      askFirst: {
        anyOf: [{ type: "string", pattern: "\\S" }, { type: "null" }],
        description: "A question that built-in agents and models ask before they begin.",
      },
    },
  });

/** Body of POST /agents/tasks. */
export const createTaskBody = z.strictObject({
  task: z
    .string()
    .max(TASK_CHARACTERS_MAX)
    .regex(/\S/, { error: "must describe the work" })
    .describe("The description of the work."),
  agentId: idText
    .optional()
    .describe("The agent for the task; if omitted, the best agent is chosen."),
  teamId: idText
    .optional()
    .describe(
      "The team whose agents may do the task. If `agentId` is also given, that agent must be a member.",
    ),
  context: contextObject
    .default({})
    .describe(
      "The input for the agent; at most 1 MiB as JSON. GET shows it up to 64 KiB, and whole with `include=context`.",
    ),
  priority: z.enum(PRIORITIES).default("medium").describe("The urgency of the task."),
  deadline: deadline.optional().describe(DEADLINE_DESCRIPTION),
  deliverables: z
    .array(idText)
    .max(LIST_ITEMS_MAX)
    .default([])
    .describe(
      "The kinds of files to deliver, such as `summary`, `report`, `presentation`, `chart` or `spreadsheet`, which built-in agents know how to make.",
    ),
  budget: budget
    .optional()
    .describe(
      "Limits on what the task may spend, and any other fields to store; at most 64 KiB as JSON.",
    ),
});
export type CreateTaskBody = z.output<typeof createTaskBody>;

/** The same with an Idempotency-Key: a repeat finds its task even if the deadline has passed. */
export const repeatableTaskBody = createTaskBody.extend({ deadline: anyDeadline.optional() });

/** Query of GET /agents/tasks. */
export const listTasksQuery = z
  .object({
    status: z.enum(TASK_STATUSES).optional().describe("Only tasks with this status."),
    agentId: idText.optional().describe("Only tasks of this agent."),
    teamId: idText.optional().describe("Only tasks of this team."),
    priority: z.enum(PRIORITIES).optional().describe("Only tasks with this priority."),
    startDate: queryDate("start")
      .optional()
      .describe(
        "Only tasks created at this instant or later: a date-time with a zone, or a date, which means the beginning of that day in UTC.",
      ),
    endDate: queryDate("end")
      .optional()
      .describe(
        "Only tasks created at this instant or before: a date-time with a zone, or a date, which means the end of that day in UTC. Not before `startDate`.",
      ),
    cursor: cursorText.describe(
      "The `nextCursor` of the previous page, unchanged. It is valid only with the same filters and the same key's view, and does not expire.",
    ),
    ...pageQueryOf("Tasks"),
  })
  .check(({ value: { startDate, endDate }, issues }) => {
    if (startDate === undefined || endDate === undefined || startDate <= endDate) return;
    const [start, end] = [startDate, endDate].map((at) => new Date(at).toISOString());
    issues.push(
      customIssue(`must not be after endDate, got ${start} and ${end}`, startDate, "startDate"),
    );
  });

/** Query of GET /agents/tasks/:id. */
export const getTaskQuery = z.object({
  include: z
    .enum(["context"])
    .optional()
    .describe("`context` includes the whole context, regardless of its size."),
});

/** How long get_task waits for a status change, in seconds. */
export const taskWaitSeconds = z
  .number()
  .min(0)
  .max(TASK_WAIT_MAX_MS / 1_000)
  .default(0)
  .describe(
    "How long to wait for the status to change, in seconds. If it has not changed, call again.",
  );

/** Query of GET /agents/tasks/:id/events. */
export const eventsQuery = z.object({
  after: queryInteger(0, Number.MAX_SAFE_INTEGER)
    .default(0)
    .describe("The `seq` after which the page begins; 0 for the beginning of the log."),
  limit: queryInteger(1, PAGE_LIMIT_MAX).default(PAGE_LIMIT_MAX).describe("Events per page."),
});

/** Body of PATCH /agents/tasks/:id. */
export const updateTaskBody = z
  .strictObject({
    priority: z
      .enum(PRIORITIES)
      .optional()
      .describe(
        "The new urgency of the task. It changes the position of a waiting task in its agent's queue.",
      ),
    deadline: deadline
      .optional()
      .describe(
        "The new deadline, at which the task fails unless it has ended: in the future, and at most five years from now.",
      ),
    context: contextObject
      .optional()
      .describe(
        "Merged into the context key by key, one level deep: a key replaces its previous value, and `null` deletes it. The whole context may have at most 1 MiB as JSON.",
      ),
    notes: z
      .string()
      .min(1)
      .max(NOTES_CHARACTERS_MAX)
      .optional()
      .describe(
        "Added to the notes as a new line. The notes may have at most 100,000 characters in total.",
      ),
  })
  .refine((change) => Object.keys(change).length > 0, {
    error: "must contain at least one field: priority, deadline, context or notes",
  })
  .meta({ minProperties: 1 });

/** Body of POST /agents/tasks/:id/cancel. */
export const cancelBody = z.strictObject({
  reason: remark
    .optional()
    .describe("The reason, for people to read; it is shown as `cancelReason`."),
});

/** Body of POST /agents/tasks/:id/retry. */
export const retryBody = z.strictObject({
  reassign: z
    .boolean()
    .default(false)
    .describe("Whether to assign an agent that has not tried the task yet."),
  context: contextObject
    .optional()
    .describe(
      "Merged into the context key by key, one level deep, as by PATCH: what the next attempt should know or do differently.",
    ),
});

/** Body of POST /agents/tasks/:id/respond. */
export const respondBody = z.strictObject({
  response: z
    .union([remark, jsonObject], {
      error: `must be a text of 1 to ${COMMENT_CHARACTERS_MAX} characters or an object`,
    })
    .describe(
      "The answer: a text of 1 to 5,000 characters, or an object. The answers of an attempt may have at most 1 MiB as JSON in total.",
    ),
});

/** Body of POST /agents/tasks/:id/review. */
export const reviewBody = z.strictObject({
  decision: z.enum(REVIEW_DECISIONS).describe("The decision."),
  comment: remark
    .optional()
    .describe("The reason, or the requested changes; for people and for the agent."),
});

/** Body of POST /agents/tasks/:id/feedback. */
export const feedbackBody = z.strictObject(feedbackFields);

/** A date-time, or a date that means the whole UTC day: its first or its last millisecond. */
function queryDate(end: "start" | "end") {
  const time = end === "start" ? "T00:00:00.000Z" : "T23:59:59.999Z";
  return z
    .union(
      [
        z.iso.date({ abort: true }).transform((day) => `${day}${time}`),
        z.iso.datetime({ offset: true, abort: true }),
      ],
      {
        error:
          "must be a date such as 2030-01-31 or a date-time with a zone such as 2030-01-31T12:00:00Z",
      },
    )
    .transform((text) => Date.parse(text));
}

/** Removes fields that Zod sets to undefined, so that the budget equals the client's. */
function budgetOf(given: Record<string, unknown>): TaskBudget {
  return Object.fromEntries(
    Object.entries(given).filter(([, value]) => value !== undefined),
  ) as TaskBudget;
}
