import * as z from "zod";
import { EVENT_TYPES, MESSAGE_PREFIX } from "../domain/events.ts";

const NAMES: readonly string[] = EVENT_TYPES.flatMap((type) => [type, `${MESSAGE_PREFIX}${type}`]);

/** An event type by either of its names: `failed`, or `task.failed` as in messages. */
export const eventTypeName = z
  .enum(NAMES)
  .transform((name) => name.replace(MESSAGE_PREFIX, ""))
  .pipe(z.enum(EVENT_TYPES));

/** The rule for error messages, which do not list both names of each type. */
export const EVENT_TYPES_RULE = `${EVENT_TYPES.join(", ")}, with or without the prefix "${MESSAGE_PREFIX}"`;
