import * as z from "zod";
import { EVENT_TYPES, MESSAGE_PREFIX } from "../domain/events.ts";

const NAMES: readonly string[] = EVENT_TYPES.flatMap((type) => [type, `${MESSAGE_PREFIX}${type}`]);

/** The type of an event by either of its names: `failed`, or `task.failed` as messages have it. */
export const eventTypeName = z
  .enum(NAMES)
  .transform((name) => name.replace(MESSAGE_PREFIX, ""))
  .pipe(z.enum(EVENT_TYPES));

/** For messages, which need not say each name twice. */
export const EVENT_TYPES_RULE = `${EVENT_TYPES.join(", ")}, with or without "${MESSAGE_PREFIX}" before it`;
