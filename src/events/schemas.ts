import * as z from "zod";
import { ID_CHARACTERS_MAX, PAGE_LIMIT_DEFAULT, PAGE_LIMIT_MAX } from "../kernel/limits.ts";
import { queryInteger, customIssue } from "../http/validation.ts";
import { TASK_EVENT_TYPES, TASK_EVENT_PREFIX } from "../tasks/model/events.ts";

const EVENT_TYPE_NAMES: readonly string[] = TASK_EVENT_TYPES.flatMap((type) => [
  type,
  `${TASK_EVENT_PREFIX}${type}`,
]);

/** An event type by either of its names: `failed`, or `task.failed` as in messages. */
export const eventTypeName = z
  .enum(EVENT_TYPE_NAMES)
  .transform((name) => name.replace(TASK_EVENT_PREFIX, ""))
  .pipe(z.enum(TASK_EVENT_TYPES));

/** The rule for error messages, which do not list both names of each type. */
const EVENT_TYPES_RULE = `${TASK_EVENT_TYPES.join(", ")}, with or without the prefix "${TASK_EVENT_PREFIX}"`;

const idText = z.string().min(1).max(ID_CHARACTERS_MAX);
const TYPES_RULE = `must be one or more of ${EVENT_TYPES_RULE}, separated by commas`;

/** Query of GET /agents/events. */
export const listEventsQuery = z
  .object({
    cursor: z.string().min(1).max(512).optional(),
    from: z.enum(["oldest", "latest"]).optional(),
    type: z
      .string()
      .min(1)
      .transform((text) => text.split(","))
      .pipe(z.array(eventTypeName, { error: TYPES_RULE }))
      .optional(),
    agentId: idText.optional(),
    teamId: idText.optional(),
    limit: queryInteger(1, PAGE_LIMIT_MAX).default(PAGE_LIMIT_DEFAULT),
  })
  .check(({ value: { cursor, from }, issues }) => {
    if (cursor === undefined || from === undefined) return;
    issues.push(
      customIssue("must be left out with a cursor, which has its own position", from, "from"),
    );
  });
