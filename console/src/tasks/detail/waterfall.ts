import { callsOf, type TaskEvent, type ToolCall } from "./task-log.ts";
import { callName } from "./describe-event.ts";

export type WaitReason = "agent" | "slot" | "worker" | "person" | "dependency" | "review" | "retry";

/** A period of a task's history. The children lie within the bounds of their parent, in the order of time. */
export interface Span {
  readonly kind: "attempt" | "step" | "wait" | "call";
  readonly label: string;
  readonly startMs: number;
  readonly endMs: number;
  /** Whether the period has not ended yet. */
  readonly isOpen: boolean;
  /** The event that ended the period, or began it if it is open. */
  readonly seq: number;
  /** The position of a call in its event. */
  readonly callIndex?: number;
  readonly waitsFor?: WaitReason;
  readonly isFailed: boolean;
  readonly children: readonly Span[];
}

const WAITS: Readonly<Record<WaitReason, string>> = {
  agent: "waiting for an agent",
  slot: "waiting for a slot",
  worker: "waiting for a worker",
  person: "waiting for a person",
  dependency: "waiting for something else",
  review: "waiting for a review",
  retry: "waiting for a retry",
};

export function waitLabel(reason: WaitReason): string {
  return WAITS[reason];
}

interface Moment {
  readonly event: TaskEvent;
  /** The time of the event, but never before that of the previous one. */
  readonly atMs: number;
}

/** What the task does after an event: it waits, works, or has ended. Null: the event changes nothing about that. */
type Activity = WaitReason | "work" | "end" | null;

function activityAfter(event: TaskEvent): Activity {
  switch (event.type) {
    case "created":
    case "retried":
      return "agent";
    case "assigned":
      return "slot";
    case "declined":
      return event.data.released === true ? "slot" : "agent";
    case "started":
    case "resumed":
      return "work";
    case "blocked":
      return event.data.kind === "dependency" ? "dependency" : "person";
    case "call_settled":
    case "responded":
    case "changes_requested":
      return "slot";
    case "submitted":
      return "review";
    case "completed":
    case "failed":
    case "cancelled":
      return "end";
    case "progressed":
    case "call_stored":
    case "approved":
    case "updated":
    case "rated":
      return null;
  }
}

/** What the agent's tasks wait for before they start or continue. */
type Queue = "none" | "slot" | "worker";

/** Logs of early releases contain no terms. These releases had only built-in agents, whose tasks did not wait. */
function queueOf({ terms }: Extract<TaskEvent, { type: "assigned" }>["data"]): Queue {
  if (terms?.executor === "worker") return "worker";
  return (terms?.maxConcurrentTasks ?? null) === null ? "none" : "slot";
}

/** Whether the agent continues after an answer or a review without an event that says so. */
function continuesAtOnce({ type }: TaskEvent, queue: Queue): boolean {
  return queue === "none" && (type === "responded" || type === "changes_requested");
}

/** Divides a task's log into attempts, these into steps and waits, and steps into tool calls. */
export function buildSpans(log: readonly TaskEvent[], now: number): readonly Span[] {
  let latest = -Infinity;
  const moments = log.map((event): Moment => {
    latest = Math.max(latest, Date.parse(event.at));
    return { event, atMs: latest };
  });
  const starts = moments.flatMap(({ event }, index) =>
    index === 0 || event.type === "retried" ? [index] : [],
  );
  return starts.map((start, position) => {
    const next = starts[position + 1];
    // The event that begins the next attempt also ends this one if it was lost.
    const end = next === undefined ? moments.length : next + 1;
    return buildAttempt(moments.slice(start, end), next === undefined ? now : null, position + 1);
  });
}

/** `now` is null if a later attempt has begun. */
function buildAttempt(moments: readonly Moment[], now: number | null, position: number): Span {
  const children: Span[] = [];
  let activity: Activity = moments[0] ? (activityAfter(moments[0].event) ?? "work") : "end";
  let since = moments[0]?.atMs ?? 0;
  let phase = "Work";
  let isFailed = false;
  let lastSeq = moments[0]?.event.seq ?? 0;
  let queue: Queue = "slot";
  let outside: Moment[] = [];

  function close({ event, atMs }: Moment, isOpen: boolean): void {
    if (activity === "end" || activity === null) return;
    const bounds = { startMs: since, endMs: atMs, isOpen, seq: event.seq };
    const own = isOpen ? outside : [...outside, { event, atMs }];
    const calls = own
      .flatMap((moment) => placeCalls(moment, since))
      .toSorted((one, other) => one.startMs - other.startMs);
    if (activity === "work") {
      const label = event.type === "progressed" && !isOpen ? event.data.phase : phase;
      const isLost = (event.type === "failed" || event.type === "retried") && !isOpen;
      children.push({ kind: "step", label, isFailed: isLost, children: calls, ...bounds });
    } else if (atMs > since || isOpen || calls.length > 0) {
      const waitsFor = activity === "slot" && queue === "worker" ? "worker" : activity;
      children.push(waitSpan(waitsFor, { children: calls, ...bounds }));
    }
    outside = [];
    since = atMs;
  }

  for (const [index, moment] of moments.entries()) {
    const { event } = moment;
    if (index === 0) continue;
    if (activity !== "end") lastSeq = event.seq;
    if (event.type === "progressed" && event.data.outside !== true && !event.data.file) {
      if (activity === "work") close(moment, false);
      phase = event.data.phase;
      continue;
    }
    if (event.type === "progressed") {
      outside.push(moment);
      continue;
    }
    const next = continuesAtOnce(event, queue) ? "work" : activityAfter(event);
    const isNextAttempt = event.type === "retried";
    if (next === null) continue;
    if (next !== activity || isNextAttempt) close(moment, false);
    if (event.type === "failed" || isNextAttempt) isFailed = true;
    if (event.type === "assigned") queue = queueOf(event.data);
    activity = isNextAttempt ? "end" : next;
  }

  const last = moments.at(-1);
  const isOpen = activity !== "end" && now !== null;
  if (last && isOpen) close({ event: last.event, atMs: Math.max(now, last.atMs) }, true);
  const startMs = moments[0]?.atMs ?? 0;
  const first = moments[0]?.event;
  const number = first?.type === "retried" ? first.data.attempt : position;
  return {
    kind: "attempt",
    label: `Attempt ${number}`,
    startMs,
    endMs: children.at(-1)?.endMs ?? startMs,
    isOpen,
    seq: lastSeq,
    isFailed,
    children,
  };
}

export function waitSpan(
  waitsFor: WaitReason,
  rest: Omit<Span, "kind" | "label" | "isFailed" | "waitsFor">,
): Span {
  const label = WAITS[waitsFor].replace(/^w/u, "W");
  return { kind: "wait", label, waitsFor, isFailed: false, ...rest };
}

/**
 * Places the tool calls of an event one after another so that the last one ends with the event, because the log
 * contains their durations, but not when they began. If they do not fit (they ran at the same time, or began before
 * the step), they are shortened.
 */
function placeCalls({ event, atMs }: Moment, stepStartMs: number): readonly Span[] {
  const calls = callsOf(event);
  const total = calls.reduce((sum, { durationMs }) => sum + durationMs, 0);
  const room = Math.max(0, atMs - stepStartMs);
  const scale = total > room ? room / total : 1;
  let startMs = atMs - total * scale;
  return calls.map((call: ToolCall, callIndex): Span => {
    const begin = Math.max(stepStartMs, startMs);
    const endMs =
      callIndex === calls.length - 1 ? atMs : Math.min(atMs, begin + call.durationMs * scale);
    startMs = endMs;
    return {
      kind: "call",
      label: callName(call),
      startMs: begin,
      endMs,
      isOpen: false,
      seq: event.seq,
      callIndex,
      isFailed: !call.ok,
      children: [],
    };
  });
}
