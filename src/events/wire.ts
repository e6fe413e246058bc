import * as z from "zod";
import { ID_CHARACTERS_MAX, PAGE_LIMIT_DEFAULT, PAGE_LIMIT_MAX } from "../domain/limits.ts";
import { queryInteger } from "../http/query.ts";
import { worded } from "../http/validate.ts";
import { EVENT_TYPES_RULE, eventTypeName } from "./type-wire.ts";

const named = z.string().min(1).max(ID_CHARACTERS_MAX);
const TYPES_RULE = `must be one or more of ${EVENT_TYPES_RULE}, separated by commas`;

/** Query of GET /agents/events. */
export const feedQuery = z
  .object({
    cursor: z.string().min(1).max(512).optional(),
    from: z.enum(["oldest", "latest"]).optional(),
    type: z
      .string()
      .min(1)
      .transform((text) => text.split(","))
      .pipe(z.array(eventTypeName, { error: TYPES_RULE }))
      .optional(),
    agentId: named.optional(),
    teamId: named.optional(),
    limit: queryInteger(1, PAGE_LIMIT_MAX).default(PAGE_LIMIT_DEFAULT),
  })
  .check(({ value: { cursor, from }, issues }) => {
    if (cursor === undefined || from === undefined) return;
    issues.push(worded("must be left out where a cursor says where to go on", from, "from"));
  });
