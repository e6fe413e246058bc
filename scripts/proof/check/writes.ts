import { isDeepStrictEqual } from "node:util";
import { marksIn, type Exchange, type History } from "../history.ts";
import type { Log } from "../read-state.ts";
import { isData } from "../restore.ts";
import type { EventShape } from "../responses.ts";
import type { Violation } from "./violation.ts";

const RULE = "an acknowledged write is stored exactly once";

/** The event types that can contain the mark of each kind of write. */
const EVENT_TYPES: Readonly<Record<string, readonly string[]>> = {
  create: ["created"],
  patch: ["updated"],
  cancel: ["cancelled"],
  retry: ["retried"],
  respond: ["responded"],
  review: ["approved", "changes_requested", "failed"],
  feedback: ["rated"],
  upload: ["progressed"],
  "report progress": ["progressed"],
  "report completed": ["completed", "submitted"],
  "report review": ["submitted"],
  "report blocked": ["blocked"],
  "report failed": ["failed"],
};

interface Trace {
  readonly taskId: string;
  readonly seq: number;
  readonly type: string;
  readonly data: EventShape["data"];
}

/** Compares the responses that clients received with the logs. */
export function checkWrites({ exchanges }: History, logs: readonly Log[]): Violation[] {
  const traces = tracesIn(logs);
  const written = Map.groupBy(
    exchanges.filter(({ mark }) => mark !== null),
    ({ mark }) => mark ?? "",
  );
  const violations: Violation[] = [];
  for (const [mark, tries] of written) {
    const found = traces.get(mark) ?? [];
    for (const message of problemsOf(tries, found))
      violations.push({ rule: RULE, about: mark, message });
  }
  for (const mark of traces.keys()) {
    if (!written.has(mark))
      violations.push({ rule: RULE, about: mark, message: "no client wrote it" });
  }
  return violations;
}

/** The number of acknowledged writes by kind. Each write counts once, however often it was sent. */
export function acknowledged({ exchanges }: History): Map<string, number> {
  const counts = new Map<string, Set<string>>();
  for (const { kind, mark, result } of exchanges) {
    if (mark === null || result !== "acknowledged") continue;
    counts.set(kind, (counts.get(kind) ?? new Set()).add(mark));
  }
  return new Map([...counts].map(([kind, marks]) => [kind, marks.size]));
}

function* problemsOf(tries: readonly Exchange[], found: readonly Trace[]): Generator<string> {
  const [first] = tries;
  if (first === undefined) return;
  const results = new Set(tries.map(({ result }) => result));
  const least = results.has("acknowledged") ? 1 : 0;
  const most = results.has("acknowledged") || results.has("unknown") ? 1 : 0;
  const what = `${first.kind}, ${[...results].join(" and ")}`;
  if (found.length < least || found.length > most) {
    const places = found.map(({ taskId, seq }) => `${taskId}.${seq}`).join(", ");
    yield `${what}: it is stored ${found.length} times (${places})`;
  }
  for (const { taskId, type, data } of found) {
    for (const name of differencesOf(first, type, data))
      yield `${what}: ${name} differs from the request`;
    if (EVENT_TYPES[first.kind]?.includes(type) !== true) yield `${what}: it is stored as ${type}`;
    if (first.taskId !== null && first.taskId !== taskId)
      yield `${what}: it is stored in ${taskId}`;
  }
}

const DECISIONS: Readonly<Record<string, string>> = {
  approve: "approved",
  request_changes: "changes_requested",
  reject: "failed",
};

/** The differences between an event and the request that caused it. */
function differencesOf({ kind, body }: Exchange, type: string, data: EventShape["data"]): string[] {
  if (!isData(body)) return [];
  if (kind === "review") return DECISIONS[String(body["decision"])] === type ? [] : ["decision"];
  const changed = (EVENT_FIELDS[kind] ?? []).filter(
    (name) => name in body && !isDeepStrictEqual(body[name], data[name]),
  );
  // An `updated` event contains only the fields that were sent, and who sent them.
  return kind === "patch"
    ? [...changed, ...Object.keys(data).filter((one) => one !== "by" && !(one in body))]
    : changed;
}

const EVENT_FIELDS: Readonly<Record<string, readonly string[]>> = {
  create: ["priority", "deadline", "context", "deliverables", "budget"],
  patch: ["priority", "deadline", "context"],
  retry: ["reassign", "context"],
  feedback: ["rating"],
  "report progress": ["progress"],
};

function tracesIn(logs: readonly Log[]): Map<string, Trace[]> {
  const traces = new Map<string, Trace[]>();
  for (const { taskId, events } of logs) {
    for (const [index, event] of events.entries()) {
      for (const mark of marksIn(wordsOf(event, events[index - 1]))) {
        const { seq, type, data } = event;
        traces.set(mark, [...(traces.get(mark) ?? []), { taskId, seq, type, data }]);
      }
    }
  }
  return traces;
}

/** The part of an event that its writer provided. The rest may repeat an earlier event. */
function wordsOf({ type, data }: EventShape, before: EventShape | undefined): string {
  switch (type) {
    case "created":
      return String(data["task"]);
    case "updated":
      return String(data["notes"] ?? "");
    case "cancelled":
      return String(data["reason"] ?? "");
    case "retried":
      return JSON.stringify(data["context"] ?? null);
    case "responded":
      return JSON.stringify(data["response"]);
    case "approved":
    case "changes_requested":
      return String(data["comment"] ?? "");
    case "failed":
      return textAt(data["error"], "message");
    case "rated":
      return String(data["feedback"] ?? "");
    case "blocked":
      return String(data["question"]);
    case "progressed":
      // A file or an external call does not change the phase.
      if (isData(data["file"])) return textAt(data["file"], "name");
      return data["outside"] === true ? "" : String(data["phase"]);
    case "submitted":
      return textAt(data["result"], "summary");
    case "completed":
      return before?.type === "approved" ? "" : textAt(data["result"], "summary");
    default:
      return "";
  }
}

function textAt(value: unknown, name: string): string {
  return isData(value) ? String(value[name] ?? "") : "";
}
