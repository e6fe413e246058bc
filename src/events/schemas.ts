import * as z from "zod";
import { cursorText, customIssue, idText, pageQueryOf, queryDate } from "../http/validation.ts";
import { APPROVAL_EVENT_TYPES } from "../governance/model/approval-status.ts";
import { LIMIT_EVENT_TYPES } from "../governance/model/spending/limit.ts";
import { TASK_EVENT_TYPES, TASK_EVENT_PREFIX } from "../tasks/model/events.ts";
import { FEED_EVENT_TYPES, messageTypeOf } from "./model/feed.ts";

const EVENT_TYPE_NAMES: readonly string[] = FEED_EVENT_TYPES.flatMap((type) => [
  ...new Set([type, messageTypeOf(type)]),
]);

/** An event type in either form: `failed`, or `task.failed` as in messages. */
export const eventTypeName = z
  .enum(EVENT_TYPE_NAMES)
  .transform((name) => name.replace(TASK_EVENT_PREFIX, ""))
  .pipe(z.enum(FEED_EVENT_TYPES));

/** The rule for error messages, which do not list both forms of each type. */
const EVENT_TYPES_RULE = `${TASK_EVENT_TYPES.join(", ")}, with or without the prefix "${TASK_EVENT_PREFIX}", ${[...APPROVAL_EVENT_TYPES, ...LIMIT_EVENT_TYPES].join(", ")}`;

const TYPES_RULE = `must be one or more of ${EVENT_TYPES_RULE}, separated by commas`;

/** Query parameters of GET /agents/events. */
export const listEventsQuery = z
  .object({
    cursor: cursorText.describe(
      "The `nextCursor` of the previous response, unchanged. Valid as long as the feed keeps the events after it. Cannot be combined with `from`.",
    ),
    from: z
      .enum(["oldest", "latest"])
      .optional()
      .describe(
        "Where to start without a cursor: at the oldest stored event (the default), or after the latest event.",
      ),
    since: queryDate("start")
      .optional()
      .describe(
        "Only events that the feed received at this time or later. A date-time with a time zone, or a date, which means its start in UTC. Cannot be combined with `cursor` or `from`.",
      ),
    type: z
      .string()
      .min(1)
      .transform((text) => text.split(","))
      .pipe(z.array(eventTypeName, { error: TYPES_RULE }))
      .transform((types) => [...new Set(types)])
      .optional()
      .describe(
        "Only events of this type, or of several types separated by commas. Both forms of a name are accepted: `failed` and `task.failed`.",
      ),
    agentId: idText
      .optional()
      .describe("Only events of tasks that were assigned to this agent when the event occurred."),
    teamId: idText.optional().describe("Only events of this team's tasks."),
    limit: pageQueryOf("Events").limit,
  })
  .check(({ value: { cursor, from, since }, issues }) => {
    const hasPosition = "must be omitted with a cursor, which already contains a position";
    if (cursor !== undefined && from !== undefined)
      issues.push(customIssue(hasPosition, from, "from"));
    if (since === undefined) return;
    if (cursor !== undefined) issues.push(customIssue(hasPosition, since, "since"));
    else if (from !== undefined)
      issues.push(
        customIssue("must be omitted with `from`, which also states the start", since, "since"),
      );
  });
