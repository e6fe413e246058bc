import * as z from "zod";
import { checkContextOptions, checkDeadline } from "../model/fields.ts";
import {
  BUDGET_SECONDS_MAX,
  NOTES_CHARACTERS_MAX,
  COMMENT_CHARACTERS_MAX,
  TASK_CHARACTERS_MAX,
  TASK_WAIT_MAX_MS,
} from "../limits.ts";
import { ID_CHARACTERS_MAX, LIST_ITEMS_MAX, PAGE_LIMIT_MAX } from "../../kernel/limits.ts";
import { PRIORITIES, REVIEW_DECISIONS, TASK_STATUSES, type TaskBudget } from "../model/task.ts";
import { jsonObject, pageQuery, queryInteger, customIssue } from "../../http/validation.ts";

const named = z.string().min(1).max(ID_CHARACTERS_MAX);
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

const budget = z
  .looseObject({
    maxCost: z.number().min(0).optional(),
    maxToolCalls: z.int().min(0).optional(),
    maxDurationSeconds: z.number().min(1).max(BUDGET_SECONDS_MAX).optional(),
  })
  .transform(budgetOf);

/** Checks the context fields that agents obey; all other fields are free-form. */
export const contextObject = jsonObject.check(({ value, issues }) => {
  for (const [name, problem] of checkContextOptions(value)) {
    if (problem !== null) issues.push(customIssue(problem, value[name], name));
  }
});

/** Body of POST /agents/tasks. */
export const createTaskBody = z.strictObject({
  task: z.string().max(TASK_CHARACTERS_MAX).regex(/\S/, { error: "must describe the work" }),
  agentId: named.optional(),
  teamId: named.optional(),
  context: contextObject.default({}),
  priority: z.enum(PRIORITIES).default("medium"),
  deadline: deadline.optional(),
  deliverables: z.array(named).max(LIST_ITEMS_MAX).default([]),
  budget: budget.optional(),
});
export type CreateTaskBody = z.output<typeof createTaskBody>;

/** The same with an Idempotency-Key: a repeat finds its task even if the deadline has passed. */
export const repeatableTaskBody = createTaskBody.extend({ deadline: anyDeadline.optional() });

/** Query of GET /agents/tasks. */
export const listTasksQuery = z
  .object({
    status: z.enum(TASK_STATUSES).optional(),
    agentId: named.optional(),
    teamId: named.optional(),
    priority: z.enum(PRIORITIES).optional(),
    startDate: queryDate("start").optional(),
    endDate: queryDate("end").optional(),
    cursor: z.string().min(1).max(512).optional(),
    ...pageQuery,
  })
  .check(({ value: { startDate, endDate }, issues }) => {
    if (startDate === undefined || endDate === undefined || startDate <= endDate) return;
    const [start, end] = [startDate, endDate].map((at) => new Date(at).toISOString());
    issues.push(
      customIssue(`must not be after endDate, got ${start} and ${end}`, startDate, "startDate"),
    );
  });

/** Query of GET /agents/tasks/:id. */
export const getTaskQuery = z.object({ include: z.enum(["context"]).optional() });

/** How long get_task waits for a status change, in seconds. */
export const taskWaitSeconds = z
  .number()
  .min(0)
  .max(TASK_WAIT_MAX_MS / 1_000)
  .default(0);

/** Query of GET /agents/tasks/:id/events. */
export const eventsQuery = z.object({
  after: queryInteger(0, Number.MAX_SAFE_INTEGER).default(0),
  limit: queryInteger(1, PAGE_LIMIT_MAX).default(PAGE_LIMIT_MAX),
});

/** Body of PATCH /agents/tasks/:id. */
export const updateTaskBody = z
  .strictObject({
    priority: z.enum(PRIORITIES).optional(),
    deadline: deadline.optional(),
    context: contextObject.optional(),
    notes: z.string().min(1).max(NOTES_CHARACTERS_MAX).optional(),
  })
  .refine((change) => Object.keys(change).length > 0, {
    error: "must change something: priority, deadline, context or notes",
  })
  .meta({ minProperties: 1 });

/** Body of POST /agents/tasks/:id/cancel. */
export const cancelBody = z.strictObject({ reason: remark.optional() });

/** Body of POST /agents/tasks/:id/retry. */
export const retryBody = z.strictObject({
  reassign: z.boolean().default(false),
  context: contextObject.optional(),
});

/** Body of POST /agents/tasks/:id/respond. */
export const respondBody = z.strictObject({
  response: z.union([remark, jsonObject], {
    error: `must be a text of 1 to ${COMMENT_CHARACTERS_MAX} characters or an object`,
  }),
});

/** Body of POST /agents/tasks/:id/review. */
export const reviewBody = z.strictObject({
  decision: z.enum(REVIEW_DECISIONS),
  comment: remark.optional(),
});

/** Body of POST /agents/tasks/:id/feedback. */
export const feedbackBody = z.strictObject({
  rating: z.number().min(1).max(5),
  feedback: remark.optional(),
  issues: z.array(remark).max(LIST_ITEMS_MAX).optional(),
});

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
