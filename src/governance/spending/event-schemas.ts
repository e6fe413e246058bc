import * as schema from "../../http/schemas.ts";
import * as z from "zod";
import type { LimitEventType } from "../model/spending/limit.ts";
import { limitSchema } from "./schemas.ts";

const { scope, measure, per, limit, resetAt } = limitSchema.shape;

/** Defines one event type as the component `Limit<Type>FeedEvent`. */
function eventSchema<Type extends LimitEventType>(type: Type, description: string) {
  const name = schema.toPascalCase(type.replace(".", "_"));
  const used = z.number().min(0).describe("The use of the limit when the event occurred.");
  const data = schema.component(`${name}Data`, null, { scope, measure, per, limit, used, resetAt });
  return schema.component(`${name}FeedEvent`, description, {
    limitId: schema.text("The id of the limit."),
    seq: z.int().min(1).describe("Increases, with gaps, with the events of the limit."),
    type: z.literal(type),
    at: schema.instant("When the event occurred."),
    agentId: schema.optional.text("The agent that the limit covers; absent for other limits."),
    teamId: schema.optional.text("The team that the limit covers; absent for other limits."),
    title: schema.text("The limit."),
    data,
  });
}

/** The events of spending limits, each of which occurs at most once in each period of a limit. */
export const LIMIT_EVENTS = [
  eventSchema("limit.warned", "The use of a spending limit has reached its `warnAt`."),
  eventSchema("limit.exceeded", "A spending limit did not allow a call or a model's turn."),
] as const;
