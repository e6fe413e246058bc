import { startTransition, useEffect, useRef, useState } from "react";
import { onFeedEvent, type FeedEvent } from "../api/live-feed.ts";
import { appendBounded } from "./event-rows.ts";

const NO_EVENTS: readonly FeedEvent[] = [];
/** How often arrived events are shown, however many arrive. */
const SHOW_MS = 500;

/**
 * The events that arrived since the component appeared, oldest first, at most `max`. While it is paused, events are
 * counted and kept back.
 */
export function useLiveEvents(isPaused: boolean, max: number) {
  const [shown, setShown] = useState(NO_EVENTS);
  const [waiting, setWaiting] = useState(0);
  const arrived = useRef(NO_EVENTS);
  useEffect(
    () =>
      onFeedEvent((event) => {
        arrived.current = appendBounded(arrived.current, [event], max);
      }),
    [max],
  );
  useEffect(() => {
    const timer = setInterval(() => {
      const added = arrived.current;
      if (added.length === 0) return;
      setWaiting(isPaused ? added.length : 0);
      if (isPaused) return;
      arrived.current = NO_EVENTS;
      // In a transition, the browser can respond to input while React renders the rows.
      startTransition(() => setShown((before) => appendBounded(before, added, max)));
    }, SHOW_MS);
    return () => clearInterval(timer);
  }, [isPaused, max]);
  return { events: shown, waiting };
}
