import { log } from "../../platform/log.ts";
import type { LimitEvent } from "../model/spending/limit.ts";

/** Receives the events of limits, each of which occurs at most once per limit and window. */
export function receiveLimitEvents(events: readonly LimitEvent[]): void {
  for (const { type, ...event } of events) log.warn(type.replace(".", "_"), event);
}
