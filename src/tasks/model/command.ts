import type { AgentTerms } from "../../agents/model/agent.ts";
import type { JsonObject } from "../../kernel/json.ts";
import type { Authored } from "./author.ts";
import type { TaskEventData } from "./events.ts";
import type { LeaseGrant } from "./lease.ts";
import type {
  AgentChoice,
  ApprovalSettlement,
  BlockKind,
  Deliverable,
  ModelUsage,
  QualityScores,
  ReviewDecision,
  TaskError,
  TaskFeedback,
  TaskOutcome,
  TaskResult,
  ToolCall,
} from "./task.ts";

/** `cost`: what the work has cost since the worker's last report, in US dollars; absent if nothing. */
interface Costed {
  readonly cost?: number;
}

interface ResultReport extends Costed {
  readonly result: TaskResult;
  readonly quality: QualityScores | null;
}

/** The data of each report type. `work` is saved for the next worker that holds the task. */
interface WorkerReportData {
  readonly heartbeat: unknown;
  readonly progress: Costed & {
    readonly progress: number;
    readonly phase: string | null;
    readonly work: JsonObject | null;
  };
  readonly blocked: Costed & {
    readonly kind: BlockKind;
    readonly question: string;
    readonly work: JsonObject | null;
  };
  readonly review: ResultReport;
  readonly completed: ResultReport;
  readonly failed: Costed & {
    readonly message: string;
    readonly retryable: boolean;
    readonly details: JsonObject | null;
  };
  /** The worker stops before the work is done, and the task returns to its agent's queue. */
  readonly released: Costed & {
    readonly reason: string | null;
    readonly work: JsonObject | null;
  };
  /** A stored file to add to the task. */
  readonly file: { readonly file: Deliverable };
}

type ReportType = keyof WorkerReportData;

/** A worker's report on the task that it holds. */
export type WorkerReport<Type extends ReportType = ReportType> = {
  [T in Type]: { readonly type: T } & WorkerReportData[T];
}[Type];

/** The tool calls and model usage of an agent's step. */
export interface StepUsage {
  readonly calls: readonly ToolCall[];
  readonly use?: ModelUsage;
}

export function usageOf({ calls, use }: StepUsage): StepUsage {
  return use === undefined ? { calls } : { calls, use };
}

interface OutcomeCommand extends StepUsage {
  readonly attempt: number;
  readonly outcome: TaskOutcome;
}

/** The data of each command. `attempt`: the attempt that the command belongs to. */
interface TaskCommandData {
  readonly create: { readonly data: TaskEventData["created"] };
  readonly assign: { readonly choice: AgentChoice; readonly terms: AgentTerms };
  readonly start: unknown;
  readonly decline: { readonly reason: string };
  /** The agent's queue has a slot for the task. `grant`: the lease of the worker that claims the task, if any. */
  readonly admit: { readonly agentId: string; readonly grant: LeaseGrant | null };
  /** The agent accepts no more work, so a task in its queue is taken back and can be assigned to another agent. */
  readonly release: { readonly agentId: string; readonly reason: string };
  /** The key with which the worker claimed the task was revoked or has expired. */
  readonly endLease: { readonly keyId: string };
  /** Records that one of the attempt's calls requires approval. */
  readonly requestApproval: {
    readonly attempt: number;
    readonly data: TaskEventData["call_stored"];
  };
  readonly settleApproval: { readonly settlement: ApprovalSettlement };
  /** The agent is paused, so the task waits in its queue. `work`: data to save for the agent. */
  readonly hold: { readonly attempt: number; readonly work: JsonObject };
  readonly progress: { readonly attempt: number; readonly data: TaskEventData["progressed"] };
  readonly block: { readonly attempt: number; readonly data: TaskEventData["blocked"] };
  /**
   * Usage outside the agent's steps. It is charged in every live status. `error`: why a turn failed, if it will be
   * retried.
   */
  readonly spend: StepUsage & { readonly error?: TaskError };
  readonly respond: Authored & { readonly response: string | JsonObject | null };
  readonly submit: OutcomeCommand;
  readonly complete: OutcomeCommand;
  readonly fail: StepUsage & { readonly attempt: number; readonly error: TaskError };
  readonly cancel: Authored & { readonly reason: string | null };
  readonly retry: Authored & {
    /** The attempt that the client saw fail. If the same failure is retried twice, the second retry is rejected. */
    readonly attempt: number;
    readonly reassign: boolean;
    readonly choice: AgentChoice | null;
    readonly context: JsonObject | null;
    /** Notes to add with the retry. They are not added if the retry is rejected. */
    readonly notes?: string;
  };
  readonly update: Authored & {
    readonly change: Omit<TaskEventData["updated"], "choice">;
    /** Another agent to give the task to. Not in `change`, which earlier releases store without checking it. */
    readonly choice?: AgentChoice;
  };
  readonly rate: Authored & { readonly feedback: TaskFeedback };
  /**
   * Enforces the deadline, the time budget and the lease. Changes nothing if none has expired. `jitter` (0 to 1)
   * spreads automatic retries over time.
   */
  readonly expire: { readonly jitter: number };
}

type PlainCommandType = keyof TaskCommandData;
type PlainCommand<Type extends PlainCommandType> = {
  [T in Type]: { readonly type: T } & TaskCommandData[T];
}[Type];

type ReviewCommand<Decision extends ReviewDecision> = {
  [D in Decision]: Authored & {
    readonly type: "review";
    readonly decision: D;
    readonly comment: string | null;
  };
}[Decision];

/** `token` proves that the worker holds the task. */
type ReportCommand<Type extends ReportType> = {
  [T in Type]: {
    readonly type: "report";
    readonly token: string;
    readonly report: WorkerReport<T>;
  };
}[Type];

/** The commands by name. The name of a review includes its decision; the name of a report includes its type. */
export type NamedCommands = {
  [
    Name in PlainCommandType | `review.${ReviewDecision}` | `report.${ReportType}`
  ]: Name extends `report.${infer Type extends ReportType}`
    ? ReportCommand<Type>
    : Name extends `review.${infer Decision extends ReviewDecision}`
      ? ReviewCommand<Decision>
      : Name extends PlainCommandType
        ? PlainCommand<Name>
        : never;
};

/** The commands in the transition table: all except `create`. */
export type CommandName = Exclude<keyof NamedCommands, "create">;

export type TaskCommand = NamedCommands[keyof NamedCommands];

export function commandNameOf(command: NamedCommands[CommandName]): CommandName {
  switch (command.type) {
    case "report":
      return `report.${command.report.type}`;
    case "review":
      return `review.${command.decision}`;
    default:
      return command.type;
  }
}

export function toReportCommand<Type extends ReportType>(
  token: string,
  report: WorkerReport<Type>,
): ReportCommand<Type> {
  return { type: "report", token, report };
}
