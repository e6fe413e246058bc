import type { EventData } from "./events.ts";
import type { TaskAction } from "./failure.ts";
import type { JsonObject } from "./json.ts";
import type {
  Choice,
  Feedback,
  Outcome,
  ReviewDecision,
  TaskError,
  TaskStatus,
  ToolCall,
} from "./task.ts";

/** Everything that can be asked of a task. `attempt` fences reports of work begun in an earlier attempt. */
export type Command =
  | { readonly type: "create"; readonly data: EventData["created"] }
  | { readonly type: "assign"; readonly choice: Choice }
  | { readonly type: "start" }
  | { readonly type: "decline"; readonly reason: string }
  | {
      readonly type: "progress";
      readonly attempt: number;
      readonly data: EventData["progressed"];
    }
  | {
      readonly type: "block";
      readonly attempt: number;
      readonly data: EventData["blocked"];
    }
  /** A call of a tool that somebody made for the task; paid for, whatever live status it has by then. */
  | { readonly type: "spend"; readonly call: ToolCall }
  | { readonly type: "respond"; readonly response: string | JsonObject | null }
  | {
      readonly type: "submit" | "complete";
      readonly attempt: number;
      readonly outcome: Outcome;
      readonly calls: readonly ToolCall[];
    }
  | {
      readonly type: "review";
      readonly decision: ReviewDecision;
      readonly comment: string | null;
    }
  | {
      readonly type: "fail";
      readonly attempt: number;
      readonly error: TaskError;
      readonly calls: readonly ToolCall[];
    }
  | { readonly type: "cancel"; readonly reason: string | null }
  | {
      readonly type: "retry";
      /** The attempt that the caller saw fail: of two retries of one failure the second is refused. */
      readonly attempt: number;
      readonly reassign: boolean;
      readonly choice: Choice | null;
      readonly context: JsonObject | null;
    }
  | { readonly type: "update"; readonly change: EventData["updated"] }
  | { readonly type: "rate"; readonly feedback: Feedback }
  | { readonly type: "tick" };

export type CommandType = Command["type"];

const LIVE = ["pending", "assigned", "in_progress", "blocked", "review"] as const;

/** The statuses from which each command is legal: the transition table of the design, as data. */
export const LEGAL_FROM: Readonly<Record<CommandType, readonly TaskStatus[]>> = {
  create: [],
  assign: ["pending"],
  start: ["assigned"],
  decline: ["assigned"],
  progress: ["in_progress"],
  block: ["in_progress"],
  spend: LIVE,
  respond: ["blocked"],
  submit: ["in_progress"],
  complete: ["in_progress"],
  review: ["review"],
  fail: LIVE,
  cancel: LIVE,
  retry: ["failed"],
  update: [...LIVE, "failed"],
  rate: ["completed"],
  tick: [...LIVE, "completed", "failed", "cancelled"],
};

/** What a client may do with a task in this status, as a 409 tells it. */
export function allowedActions(status: TaskStatus): TaskAction[] {
  const actions: [TaskAction, boolean][] = [
    ["cancel", LEGAL_FROM.cancel.includes(status)],
    ["retry", LEGAL_FROM.retry.includes(status)],
    ["update", LEGAL_FROM.update.includes(status)],
    ["respond", LEGAL_FROM.respond.includes(status)],
    ["review", LEGAL_FROM.review.includes(status)],
    ["feedback", LEGAL_FROM.rate.includes(status)],
    ["deliverables", status === "review" || status === "completed"],
  ];
  return actions.flatMap(([action, legal]) => (legal ? [action] : []));
}
