import type { AgentTerms } from "../../agents/model/agent.ts";
import type { TaskEventData } from "./events.ts";
import type { JsonObject } from "../../kernel/json.ts";
import type { LeaseGrant } from "./lease.ts";
import type { WorkerReport } from "./report.ts";
import {
  TASK_STATUSES,
  type AgentChoice,
  type TaskFeedback,
  type ModelUsage,
  type TaskOutcome,
  type ReviewDecision,
  type TaskError,
  type TaskStatus,
  type ToolCall,
} from "./task.ts";

/** Everything that can be asked of a task. `attempt` fences reports of work begun in an earlier attempt. */
export type TaskCommand =
  | { readonly type: "create"; readonly data: TaskEventData["created"] }
  | { readonly type: "assign"; readonly choice: AgentChoice; readonly terms: AgentTerms }
  | { readonly type: "start" }
  | { readonly type: "decline"; readonly reason: string }
  /** The agent's queue has a place for the task, or a worker, who holds it by the lease. */
  | { readonly type: "admit"; readonly agentId: string; readonly grant: LeaseGrant | null }
  /** The agent takes no more work: a task that waits for it goes to somebody else. */
  | { readonly type: "release"; readonly agentId: string; readonly reason: string }
  /** The key with which a worker holds the task has ended. */
  | { readonly type: "endLease"; readonly keyId: string }
  /** What a worker tells of its work; `token` shows that it holds the task. */
  | { readonly type: "report"; readonly token: string; readonly report: WorkerReport }
  | {
      readonly type: "progress";
      readonly attempt: number;
      readonly data: TaskEventData["progressed"];
    }
  | {
      readonly type: "block";
      readonly attempt: number;
      readonly data: TaskEventData["blocked"];
    }
  /** What was used for the task beside its agent's steps; paid for, whatever live status it has by then. */
  | {
      readonly type: "spend";
      readonly calls: readonly ToolCall[];
      readonly use?: ModelUsage;
      /** The error of a try that is repeated. */
      readonly error?: TaskError;
    }
  | { readonly type: "respond"; readonly response: string | JsonObject | null }
  | {
      readonly type: "submit" | "complete";
      readonly attempt: number;
      readonly outcome: TaskOutcome;
      readonly calls: readonly ToolCall[];
      readonly use?: ModelUsage;
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
      readonly use?: ModelUsage;
    }
  | { readonly type: "cancel"; readonly reason: string | null }
  | {
      readonly type: "retry";
      /** The attempt that the caller saw fail: of two retries of one failure the second is refused. */
      readonly attempt: number;
      readonly reassign: boolean;
      readonly choice: AgentChoice | null;
      readonly context: JsonObject | null;
      /** Noted with the retry, and not at all when that is refused. */
      readonly notes?: string;
    }
  | { readonly type: "update"; readonly change: TaskEventData["updated"] }
  | { readonly type: "rate"; readonly feedback: TaskFeedback }
  /** `jitter`, 0 to 1, spreads what begins by itself, so that not all of it begins at once. */
  | { readonly type: "tick"; readonly jitter: number };

export type TaskCommandType = TaskCommand["type"];

const LIVE = ["pending", "assigned", "in_progress", "blocked", "review"] as const;

/** The statuses from which each command is legal: the transition table of the design, as data. */
export const LEGAL_FROM: Readonly<Record<TaskCommandType, readonly TaskStatus[]>> = {
  create: [],
  assign: ["pending"],
  start: ["assigned"],
  decline: ["assigned"],
  admit: ["assigned", "in_progress"],
  release: ["assigned", "in_progress"],
  endLease: ["in_progress"],
  // Who holds the task no more is told so, whatever has become of it.
  report: TASK_STATUSES,
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
  tick: TASK_STATUSES,
};

/** What a client may do with a task in its present status. */
export type TaskAction =
  | "cancel"
  | "retry"
  | "update"
  | "respond"
  | "review"
  | "feedback"
  | "deliverables";

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
