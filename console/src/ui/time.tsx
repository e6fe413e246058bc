import { useSyncExternalStore } from "react";
import { formatExactTime, formatRelativeTime } from "./relative-time.ts";

const TICK_MS = 1_000;

let now = Date.now();
const listeners = new Set<() => void>();
let timer: ReturnType<typeof setInterval> | undefined;

function subscribe(listener: () => void): () => void {
  // The time is not updated while there are no listeners.
  if (listeners.size === 0) now = Date.now();
  listeners.add(listener);
  timer ??= setInterval(() => {
    now = Date.now();
    for (const notify of listeners) notify();
  }, TICK_MS);
  return () => {
    listeners.delete(listener);
    if (listeners.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  };
}

/** The current time in milliseconds since the epoch, updated every second by one timer for the whole page. */
export function useNow(): number {
  return useSyncExternalStore(subscribe, () => now);
}

/** A relative time that shows the exact time and the time zone on hover. */
export function Time({ at }: { readonly at: string }) {
  const current = useNow();
  return (
    <time dateTime={at} title={formatExactTime(at)} className="whitespace-nowrap">
      {formatRelativeTime(Date.parse(at), current)}
    </time>
  );
}
