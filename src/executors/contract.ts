import type { AgentSecret, ExecutorConfig } from "../agents/model/agent.ts";
import type { GrantedCapability } from "../tools/model/tool.ts";
import type { JsonObject } from "../kernel/json.ts";
import type { Result } from "../kernel/result.ts";
import type {
  BlockKind,
  Deliverable,
  ModelUsage,
  TaskOutcome,
  Task,
  TaskError,
  ToolCall,
} from "../tasks/model/task.ts";
import type { CallBudget, RequestTaskApproval } from "../tools/model/invocation.ts";
import type { Egress } from "../platform/egress/contract.ts";

/** A tool that an agent may currently use, with the capabilities that the agent may use. */
export interface UsableTool {
  readonly id: string;
  readonly name: string;
  readonly category: string;
  readonly capabilities: readonly string[];
}

/**
 * Why a call returned no result. `budget`: the task's budget does not cover the call; `message` is the question to
 * ask people. `approval`: the call waits for approval, and `message` is the question. `paused`: the agent is paused.
 * `failed`: the parameters are invalid, or the tool failed or timed out. `rejected`: any other reason, such as a missing
 * grant, a rate limit or an unknown tool.
 */
export type CallFailure =
  | { readonly kind: "budget" | "paused" | "rejected" | "failed"; readonly message: string }
  | { readonly kind: "approval"; readonly message: string; readonly approvalId: string };

export interface NewFile {
  readonly type: string;
  readonly name: string;
  readonly format: string;
  readonly bytes: Uint8Array;
}

/** The progress of a step or a turn; `progress` is a percentage. */
interface StepProgress {
  readonly progress: number;
  readonly phase: string;
  readonly work: JsonObject;
  /** Set if `progress` is only an estimate that grows with every turn. */
  readonly estimated?: true;
}

/** The agent is paused. The attempt continues with `work` when the agent is resumed. */
export interface HoldOutcome {
  readonly kind: "hold";
  readonly work: JsonObject;
}

/** The outcome of one step. Later steps of the attempt receive `work`. */
export type StepOutcome =
  | ({ readonly kind: "progress" } & StepProgress)
  | {
      readonly kind: "block";
      readonly why: BlockKind;
      readonly question: string;
      readonly work: JsonObject;
      /** The approvals that the agent waits for; absent for other questions. */
      readonly approvalIds?: readonly string[];
    }
  | { readonly kind: "submit" | "complete"; readonly outcome: TaskOutcome }
  | HoldOutcome
  | { readonly kind: "fail"; readonly error: TaskError };

/** One durable step of a built-in agent's work on a task. After a crash, at most one step is repeated. */
export type StepExecutor = (task: Task, context: ExecutionContext) => Promise<StepOutcome>;

/** A request to run one step of a task by a built-in agent. `budget` pays for the step's calls, and `requestApproval` stores
 * those that require approval. */
export interface StepRequest {
  readonly taskId: string;
  readonly task: Task;
  readonly budget: CallBudget;
  readonly requestApproval: RequestTaskApproval;
  readonly timeoutMs: number;
}

/** The result of a step. `calls` lists the calls that the step made, even if it failed. */
export interface StepResult {
  /** A failure contains the error that the step threw. */
  readonly outcome: Result<StepOutcome, unknown>;
  readonly calls: readonly ToolCall[];
  /** Small files, which the task stores with the step's event. */
  readonly inlineFiles: readonly Uint8Array[];
}

/** Runs one step with an execution context. Resolves within `timeoutMs` and never rejects. */
export type StepRunner = (request: StepRequest) => Promise<StepResult>;

/** A capability that the agent may currently use, as shown to a model. */
export type UsableCapability = Omit<GrantedCapability, "connector" | "operation">;

/** Ends with the actual usage of the model, which is null if there was none. */
export interface ModelUseReservation {
  settle(use: ModelUsage | null): Promise<void>;
}

/** `message`: which limit does not allow the request. `isAgentPaused`: whether the limit has paused the agent. */
export interface ModelUseFailure {
  readonly message: string;
  readonly isAgentPaused: boolean;
}

/** What an executor can use during a step or a turn: the agent's tools and the task's files. */
export interface ExecutionContext {
  /** Whether the agent is registered and enabled. The value can be up to a second out of date. */
  isAgentEnabled(): Promise<boolean>;
  /** The tools that the agent may use; null unless it is registered and enabled. */
  listTools(): Promise<readonly UsableTool[] | null>;
  /**
   * Lists at most `limit` of the capabilities that match `search`; null matches all. Returns null unless the agent is
   * registered and enabled.
   */
  listCapabilities(
    search: string | null,
    limit: number,
  ): Promise<{ readonly capabilities: readonly UsableCapability[]; readonly total: number } | null>;
  /** Calls a tool as the agent and charges the task's budget. */
  callTool(
    toolId: string,
    capability: string,
    parameters: JsonObject,
  ): Promise<Result<JsonObject, CallFailure>>;
  /** Reserves what a request to the model may use in the spending limits that cover the agent. */
  reserveModelUse(use: ModelUsage): Promise<Result<ModelUseReservation, ModelUseFailure>>;
  /** Stores a file for this attempt and round. A second file with the same name replaces the first. */
  saveFile(file: NewFile): Promise<Deliverable>;
  /**
   * Stores the progress of a turn and returns false if the attempt has ended. Steps return their progress as an
   * outcome.
   */
  reportProgress(progress: StepProgress): Promise<boolean>;
}

/** The input for one turn. `signal` aborts shortly before the turn's time is up. */
export interface TurnRequest<Kind extends ExecutorConfig> {
  readonly taskId: string;
  readonly task: Task;
  readonly executor: Kind;
  readonly secret: AgentSecret | null;
  readonly egress: Egress;
  readonly signal: AbortSignal;
}

/** The outcome of a turn. `again`: continue after a delay; too many consecutive `failure`s end the attempt. */
export type TurnOutcome = (
  | StepOutcome
  | { readonly kind: "again"; readonly afterMs: number; readonly failure: string | null }
) & { readonly use?: ModelUsage };

/** An outcome that ends the attempt with AGENT_ERROR. */
export function createFailOutcome(
  message: string,
  retryable: boolean,
  details?: TaskError["details"],
): Extract<StepOutcome, { kind: "fail" }> {
  const error: TaskError = { code: "AGENT_ERROR", message, retryable };
  return { kind: "fail", error: details === undefined ? error : { ...error, details } };
}

export function createAgentUnavailableOutcome(agentName: string | null): StepOutcome {
  return createFailOutcome(
    `${agentName ?? "The agent"} is disabled or no longer registered.`,
    true,
  );
}
