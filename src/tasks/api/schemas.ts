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
import { externalId, labelQuery, labels, LABELS_DESCRIPTION, title } from "./name-schemas.ts";
import { feedbackFields } from "./task-schemas.ts";
import { TITLE_SORTS } from "../model/listing.ts";
import { PRIORITIES, REVIEW_DECISIONS, TASK_STATUSES, type TaskBudget } from "../model/task.ts";
import {
  cursorText,
  idText,
  jsonObject,
  pageQueryOf,
  queryChoices,
  queryInteger,
  searchText,
  customIssue,
  queryDate,
} from "../../http/validation.ts";

const remark = z.string().min(1).max(COMMENT_CHARACTERS_MAX);
const answerText = remark
  .refine((text) => text === "" || /\S/.test(text), { error: "must not be blank" })
  .meta({ pattern: "\\S" });

const DEADLINE_RULE =
  "must be an ISO 8601 date-time with a time zone, such as 2030-01-31T12:00:00Z";
const instant = z.iso.datetime({ offset: true, error: DEADLINE_RULE, abort: true });
/** A deadline that may be in the past, in milliseconds since 1970. */
const anyDeadline = instant.transform((text) => Date.parse(text));
/** A deadline in the future. The task checks it again, because it may pass in the meantime. */
const deadline = instant
  .check((given) => {
    const problem = checkDeadline(Date.parse(given.value), Date.now());
    if (problem !== null) given.issues.push(customIssue(problem, given.value));
  })
  .transform((text) => Date.parse(text));

const DEADLINE_DESCRIPTION =
  "The time at which the task fails if it has not ended. Must be in the future, at most five years from now. Enforced within a second.";

const budget = z
  .looseObject({
    maxCost: z
      .number()
      .min(0)
      .optional()
      .describe(
        "The maximum total cost of tools and models, in US dollars. If the next call would exceed it, the task is `blocked`, with `kind: budget`, until someone answers.",
      ),
    maxToolCalls: z
      .int()
      .min(0)
      .optional()
      .describe(
        "The maximum number of tool calls across all attempts. When they are used up, the next call is not made, and the task is `blocked`, with `kind: budget`.",
      ),
    maxDurationSeconds: z
      .number()
      .min(1)
      .max(BUDGET_SECONDS_MAX)
      .optional()
      .describe(
        "How long the agent may work in one attempt, in seconds. After that, the attempt fails with `BUDGET_EXCEEDED`. Time spent in `blocked`, in `review` or in the queue does not count.",
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
        description: "Whether a person must approve the work before the task is completed.",
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
    .describe(
      "The agent for the task. Defaults to the agent that the key is bound to; if there is none, the best agent is chosen.",
    ),
  teamId: idText
    .optional()
    .describe(
      "The team whose agents may do the task. Defaults to the team that the key is bound to. If `agentId` is also given, that agent must be a member.",
    ),
  context: contextObject
    .default({})
    .describe(
      "The input for the agent; at most 1 MiB as JSON. GET returns it if it is at most 64 KiB, and always with `include=context`.",
    ),
  priority: z.enum(PRIORITIES).default("medium").describe("The urgency of the task."),
  deadline: deadline.optional().describe(DEADLINE_DESCRIPTION),
  deliverables: z
    .array(idText)
    .max(LIST_ITEMS_MAX)
    .default([])
    .describe(
      "The kinds of file to deliver. Built-in agents can make `summary`, `report`, `analysis`, `presentation`, `chart` and `spreadsheet`.",
    ),
  budget: budget
    .optional()
    .describe(
      "Limits on the task's spending, and any other fields to store; at most 64 KiB as JSON.",
    ),
  title: title
    .optional()
    .describe(
      "A short name for people, such as in lists. Leading and trailing spaces are removed.",
    ),
  labels: labels.optional().describe(LABELS_DESCRIPTION),
  externalId: externalId
    .optional()
    .describe("The task's id in your own system. Several tasks can have the same one."),
});
export type CreateTaskBody = z.output<typeof createTaskBody>;

/**
 * The body of a request with an Idempotency-Key. The deadline may be in the past, so a repeated request still finds its
 * task.
 */
export const repeatableTaskBody = createTaskBody.extend({ deadline: anyDeadline.optional() });

/** Query of GET /agents/tasks. */
export const listTasksQuery = z
  .object({
    status: queryChoices(TASK_STATUSES)
      .optional()
      .describe(
        "Only tasks with this status. Repeat it, or separate statuses by commas, for tasks with any of them.",
      ),
    agentId: idText.optional().describe("Only this agent's tasks."),
    teamId: idText.optional().describe("Only this team's tasks."),
    priority: z.enum(PRIORITIES).optional().describe("Only tasks with this priority."),
    startDate: queryDate("start")
      .optional()
      .describe(
        "Only tasks created at this time or later. A date-time with a time zone, or a date, which means the start of that day in UTC.",
      ),
    endDate: queryDate("end")
      .optional()
      .describe(
        "Only tasks created at this time or earlier. A date-time with a time zone, or a date, which means the end of that day in UTC. Must not be before `startDate`.",
      ),
    externalId: externalId.optional().describe("Only tasks with this external id."),
    label: labelQuery
      .optional()
      .describe(
        "Only tasks with this label, as `key:value`. Repeat it for tasks that have all of several labels, at most 20.",
      ),
    search: searchText.describe(
      "Only tasks whose title or, if there is none, text contains this text. The letters A to Z match a to z; all other characters must be the same.",
    ),
    sort: z
      .enum(["-createdAt", ...TITLE_SORTS])
      .default("-createdAt")
      .describe(
        "The order of the list: newest first (`-createdAt`), or by title from A to Z (`title`) or Z to A (`-title`). A task without a title is sorted by the first 200 characters of its text, without leading white space. The letters A to Z are sorted like a to z, and all other characters by their code points. Tasks with the same title are sorted newest first.",
      ),
    cursor: cursorText.describe(
      "The `nextCursor` of the previous page, unchanged. It is valid only with the same filters and `sort`, and for keys that see the same tasks, and does not expire.",
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
    .describe("The `seq` after which the page begins; 0 for the start of the log."),
  limit: queryInteger(1, PAGE_LIMIT_MAX)
    .default(PAGE_LIMIT_MAX)
    .describe("The maximum number of events per page."),
});

const UPDATE_FIELDS =
  "priority, deadline, context, notes, title, labels, externalId, deliverables, budget or agentId";

/** Body of PATCH /agents/tasks/:id. */
export const updateTaskBody = z
  .strictObject({
    priority: z
      .enum(PRIORITIES)
      .optional()
      .describe(
        "The task's new urgency. If the task is waiting, its position in the agent's queue may change.",
      ),
    deadline: deadline
      .optional()
      .describe(
        "The new time at which the task fails if it has not ended. Must be in the future, at most five years from now.",
      ),
    context: contextObject
      .optional()
      .describe(
        "Merged into the context key by key, one level deep: a value replaces the previous one, and `null` deletes the key. The whole context can be at most 1 MiB as JSON.",
      ),
    notes: z
      .string()
      .min(1)
      .max(NOTES_CHARACTERS_MAX)
      .optional()
      .describe(
        "Added to the notes as a new line. The notes can have at most 100,000 characters in total.",
      ),
    title: title.nullable().optional().describe("The new title; null removes it."),
    labels: labels
      .optional()
      .describe("The new labels, which replace all earlier ones. An empty object removes them."),
    externalId: externalId.nullable().optional().describe("The new external id; null removes it."),
    deliverables: z
      .array(idText)
      .max(LIST_ITEMS_MAX)
      .optional()
      .describe("The new list of requested kinds of file, which replaces the earlier one."),
    budget: budget
      .optional()
      .describe(
        "The new limits and other fields, which replace the earlier ones; at most 64 KiB as JSON. An empty object removes all limits. A key bound to an agent cannot raise or remove a limit.",
      ),
    agentId: idText
      .optional()
      .describe(
        "The agent to give the task to. Allowed only before the attempt starts. The agent must be enabled and, if the task has a team, a member of it.",
      ),
  })
  .refine((change) => Object.keys(change).length > 0, {
    error: `must contain at least one field: ${UPDATE_FIELDS}`,
  })
  .meta({ minProperties: 1 });

/** Body of POST /agents/tasks/:id/cancel. */
export const cancelBody = z.strictObject({
  reason: remark.optional().describe("A human-readable reason, returned as `cancelReason`."),
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
      "What the next attempt should know or do differently. Merged into the context key by key, one level deep, as with PATCH.",
    ),
});

/** Body of POST /agents/tasks/:id/respond. */
export const respondBody = z.strictObject({
  response: z
    .union([answerText, jsonObject], {
      error: `must be a string of 1 to ${COMMENT_CHARACTERS_MAX} characters or an object`,
    })
    .describe(
      "The answer: a non-blank string of 1 to 5,000 characters or an object. All of an attempt's answers together can be at most 1 MiB as JSON.",
    ),
});

/** Body of POST /agents/tasks/:id/review. */
export const reviewBody = z.strictObject({
  decision: z.enum(REVIEW_DECISIONS).describe("The decision."),
  comment: remark
    .optional()
    .describe("The reason or the requested changes, for people and for the agent."),
});

/** Body of POST /agents/tasks/:id/feedback. */
export const feedbackBody = z.strictObject(feedbackFields);

/** Removes fields that Zod sets to undefined, so the budget equals the one that the client sent. */
function budgetOf(given: Record<string, unknown>): TaskBudget {
  return Object.fromEntries(
    Object.entries(given).filter(([, value]) => value !== undefined),
  ) as TaskBudget;
}
