import type { DeliveryStatus } from "../../../src/events/model/delivery.ts";
import type { FeedEventShape } from "../responses.ts";
import type { Violation } from "./violation.ts";

const RULE = "webhooks deliver every event";

/** Why an event did not reach the receiver. `lost` means that the webhook has no delivery of the event. */
type DeliveryProblem = "lost" | "late" | "failed";

interface Window {
  readonly fate: DeliveryProblem;
  readonly from: number;
  readonly to: number;
}

/**
 * Returns one violation per run of consecutive feed events that did not reach the receiver. `missing` and the keys of
 * `deliveries` have the form `<task id>.<seq>`.
 */
export function checkUndelivered(
  missing: readonly string[],
  feed: readonly FeedEventShape[],
  deliveries: ReadonlyMap<string, DeliveryStatus>,
): Violation[] {
  const wanted = new Set(missing);
  const windows: Window[] = [];
  for (const [place, event] of feed.entries()) {
    const name = `${event.taskId}.${event.seq}`;
    if (!wanted.delete(name)) continue;
    const fate = problemOf(deliveries.get(name));
    const last = windows.at(-1);
    if (last?.to === place - 1 && last.fate === fate) {
      windows[windows.length - 1] = { ...last, to: place };
    } else {
      windows.push({ fate, from: place, to: place });
    }
  }
  return [
    ...windows.map((window) => ({ rule: RULE, ...describe(window, feed) })),
    ...[...wanted].map((name) => ({
      rule: RULE,
      about: null,
      message: `${name} is not in the feed`,
    })),
  ];
}

/** A message can arrive after the missing events were listed, so "delivered" also counts as late. */
function problemOf(status: DeliveryStatus | undefined): DeliveryProblem {
  if (status === undefined) return "lost";
  return status === "failed" ? "failed" : "late";
}

function describe(
  { fate, from, to }: Window,
  feed: readonly FeedEventShape[],
): Pick<Violation, "about" | "message"> {
  const count = to - from + 1;
  const places = `positions ${from} to ${to} of ${feed.length} in the feed`;
  const times = `${feed[from]?.at} to ${feed[to]?.at}`;
  return {
    about: feed[from]?.taskId ?? null,
    message: `${fate}: ${count} events, ${places}, ${times}`,
  };
}
