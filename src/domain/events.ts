import type { JsonObject } from "./json.ts";
import type {
  BlockKind,
  Budget,
  Choice,
  Feedback,
  Outcome,
  Priority,
  TaskError,
  ToolCall,
} from "./task.ts";

/** What each type of event records. The log of a task is these and nothing else. */
export interface EventData {
  readonly created: {
    readonly task: string;
    readonly teamId: string | null;
    readonly choice: Choice | null;
    readonly priority: Priority;
    readonly deadline: number | null;
    readonly deliverables: readonly string[];
    readonly context: JsonObject;
    readonly budget: Budget | null;
    readonly estimatedCompletion: number;
    readonly estimatedDurationMs: number;
    readonly createdBy: string;
    readonly fingerprint: string;
  };
  readonly assigned: Choice;
  readonly declined: { readonly agentId: string; readonly reason: string };
  readonly started: { readonly agentId: string };
  readonly progressed: {
    readonly progress: number;
    readonly phase: string;
    readonly calls: readonly ToolCall[];
    readonly work: JsonObject;
    /** A call that was made for the task beside its agent's own steps. */
    readonly outside?: true;
  };
  readonly blocked: {
    readonly kind: BlockKind;
    readonly question: string;
    readonly calls: readonly ToolCall[];
    /** What was done before the agent stopped, so that it is not done (and paid) again. */
    readonly work: JsonObject;
  };
  /** `null`: nobody answered, the cause went away by itself. */
  readonly responded: { readonly response: string | JsonObject | null };
  readonly submitted: Outcome & { readonly calls: readonly ToolCall[] };
  readonly approved: { readonly comment: string | null };
  readonly changes_requested: { readonly comment: string | null };
  readonly completed: Outcome & { readonly calls: readonly ToolCall[] };
  readonly failed: { readonly error: TaskError; readonly calls: readonly ToolCall[] };
  readonly cancelled: { readonly reason: string | null };
  readonly retried: {
    readonly attempt: number;
    readonly reassign: boolean;
    readonly choice: Choice | null;
    readonly context: JsonObject | null;
  };
  readonly updated: {
    readonly priority?: Priority;
    readonly deadline?: number;
    readonly context?: JsonObject;
    readonly notes?: string;
  };
  readonly rated: Feedback;
}

export type EventType = keyof EventData;

/** An event as `decide` makes it, before the log gives it its place. */
export type NewEvent = {
  [Type in EventType]: { readonly type: Type; readonly data: EventData[Type] };
}[EventType];

/** One line of a task's log: `seq` from 1 without gaps, `at` in milliseconds since 1970. */
export type TaskEvent = NewEvent & { readonly seq: number; readonly at: number };
