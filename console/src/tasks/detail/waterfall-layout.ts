import { waitSpan, type Span } from "./waterfall.ts";

/** A span with its place in the chart, whose width is 1. */
export interface Bar {
  readonly span: Span;
  /** 0 for attempts, 1 for steps and waits, 2 for calls. */
  readonly depth: number;
  readonly x: number;
  readonly width: number;
}

/** A wait that is drawn at a fixed width, because it would leave no room for the work. */
export interface Gap {
  readonly span: Span;
  readonly x: number;
  readonly width: number;
}

export interface WaterfallLayout {
  /** Parents come before their children, and the children of one parent are in the order of time. */
  readonly bars: readonly Bar[];
  readonly gaps: readonly Gap[];
}

/** The width of a collapsed wait, and of all of them together at most. */
const GAP_WIDTH = 0.04;
const GAPS_WIDTH_MAX = 0.4;
/** A wait longer than this share of the time that is not collapsed is collapsed. */
const COLLAPSED_SHARE = 0.2;
/** A shorter wait is never collapsed. */
const COLLAPSED_MS_MIN = 1_000;

interface Segment {
  readonly startMs: number;
  readonly endMs: number;
  readonly collapsed: Span | null;
}

/** Lays out attempts, their steps and calls on one axis of time on which long waits are collapsed. */
export function layoutWaterfall(attempts: readonly Span[]): WaterfallLayout {
  const segments = divide(attempts);
  const scale = toScale(segments);
  const bars: Bar[] = [];
  function add(span: Span, depth: number): void {
    const x = scale(span.startMs);
    bars.push({ span, depth, x, width: Math.max(0, scale(span.endMs) - x) });
    for (const child of span.children) add(child, depth + 1);
  }
  for (const attempt of attempts) add(attempt, 0);
  const gaps = segments.flatMap(({ startMs, endMs, collapsed }): Gap[] => {
    if (collapsed === null) return [];
    const x = scale(startMs);
    return [{ span: collapsed, x, width: scale(endMs) - x }];
  });
  return { bars, gaps };
}

/** The maximum rounding error. */
const ROUNDING = 1e-9;

/** The places at which a bar is not to scale: the middles of the collapsed waits within it. */
export function breaksIn(
  { x, width }: Pick<Bar, "x" | "width">,
  gaps: readonly Gap[],
): readonly number[] {
  return gaps
    .filter((gap) => gap.x >= x - ROUNDING && gap.x + gap.width <= x + width + ROUNDING)
    .map((gap) => gap.x + gap.width / 2);
}

/** Divides the whole time into the waits that are collapsed and the rest. */
function divide(attempts: readonly Span[]): readonly Segment[] {
  const startMs = attempts[0]?.startMs ?? 0;
  const endMs = attempts.at(-1)?.endMs ?? startMs;
  const long = longWaits(attempts, endMs - startMs);
  const segments: Segment[] = [];
  let from = startMs;
  for (const wait of long) {
    if (wait.startMs > from) segments.push({ startMs: from, endMs: wait.startMs, collapsed: null });
    segments.push({ startMs: wait.startMs, endMs: wait.endMs, collapsed: wait });
    from = wait.endMs;
  }
  if (endMs > from || segments.length === 0)
    segments.push({ startMs: from, endMs, collapsed: null });
  return segments;
}

/**
 * The waits to collapse, in the order of time. Starting with the longest, a wait is collapsed if it is long in
 * comparison to what would remain.
 */
function longWaits(attempts: readonly Span[], totalMs: number): readonly Span[] {
  const candidates = [...attempts.flatMap(({ children }) => children), ...timeBetween(attempts)]
    .filter(({ kind, startMs, endMs }) => kind === "wait" && endMs - startMs > COLLAPSED_MS_MIN)
    .toSorted((one, other) => lengthOf(other) - lengthOf(one));
  let remainingMs = totalMs;
  const long: Span[] = [];
  for (const wait of candidates) {
    const rest = remainingMs - lengthOf(wait);
    if (lengthOf(wait) <= rest * COLLAPSED_SHARE) break;
    long.push(wait);
    remainingMs = rest;
  }
  return long.toSorted((one, other) => one.startMs - other.startMs);
}

/** The time between the end of an attempt and the beginning of the next. */
function timeBetween(attempts: readonly Span[]): readonly Span[] {
  return attempts.slice(1).flatMap((attempt, index) => {
    const startMs = attempts[index]?.endMs ?? attempt.startMs;
    const rest = { startMs, endMs: attempt.startMs, isOpen: false, seq: attempt.seq, children: [] };
    return attempt.startMs > startMs ? [waitSpan("retry", rest)] : [];
  });
}

function lengthOf({ startMs, endMs }: Span): number {
  return endMs - startMs;
}

/** Returns the place of a time in the chart, from 0 to 1. It never decreases with the time. */
function toScale(segments: readonly Segment[]): (atMs: number) => number {
  const collapsed = segments.filter((segment) => segment.collapsed !== null).length;
  const linearMs = segments.reduce(
    (sum, { startMs, endMs, collapsed: wait }) => (wait === null ? sum + endMs - startMs : sum),
    0,
  );
  const gapsWidth = linearMs === 0 ? 1 : Math.min(GAPS_WIDTH_MAX, collapsed * GAP_WIDTH);
  const gapWidth = collapsed === 0 ? 0 : gapsWidth / collapsed;
  const linearWidth = collapsed === 0 ? 1 : 1 - gapsWidth;
  let x = 0;
  const placed = segments.map((segment) => {
    const length = segment.endMs - segment.startMs;
    const width =
      segment.collapsed !== null
        ? gapWidth
        : linearMs === 0
          ? 1
          : (length / linearMs) * linearWidth;
    const from = x;
    x = Math.min(1, x + width);
    return { ...segment, from, to: x, length };
  });
  return (atMs) => {
    // Segments are in the order of time, so the first one that ends at or after the time contains it.
    let low = 0;
    let high = placed.length - 1;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((placed[middle]?.endMs ?? Infinity) >= atMs) high = middle;
      else low = middle + 1;
    }
    const segment = placed[low];
    if (segment === undefined || segment.length === 0) return segment?.from ?? 0;
    const share = Math.min(1, Math.max(0, (atMs - segment.startMs) / segment.length));
    return segment.from + (segment.to - segment.from) * share;
  };
}
