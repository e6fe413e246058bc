import type { JsonObject } from "../../domain/json.ts";
import type { Result } from "../../domain/result.ts";
import type {
  BlockKind,
  Deliverable,
  Outcome,
  Task,
  TaskError,
  ToolCall,
} from "../../domain/task.ts";

/** A tool that the agent may use at this moment, with the capabilities it may use. */
export interface UsableTool {
  readonly id: string;
  readonly name: string;
  readonly category: string;
  readonly capabilities: readonly string[];
}

/**
 * Why a call gave no result. `budget`: the task's budget allows no further call; `message` is the
 * question to put to people. `refused`: no grant, a rate limit, an unknown tool. `failed`: the tool
 * could not work with the parameters.
 */
export interface CallFailure {
  readonly kind: "budget" | "refused" | "failed";
  readonly message: string;
}

/** A file as an agent hands it over. */
export interface NewFile {
  readonly type: string;
  readonly name: string;
  readonly format: string;
  readonly bytes: Uint8Array;
}

/** What an agent can reach while it works on a task: its granted tools and the task's files. */
export interface Hands {
  /** What the agent may use now, or null when it is not (or no longer) registered and enabled. */
  tools(): Promise<readonly UsableTool[] | null>;
  /** Uses a tool as the agent, through the same verb as every client; counted in `calls`. */
  call(
    toolId: string,
    capability: string,
    parameters: JsonObject,
  ): Promise<Result<JsonObject, CallFailure>>;
  /** The calls made in this step so far. */
  readonly calls: readonly ToolCall[];
  /** Stores a file of this attempt and round; a second of the same name replaces the first. */
  save(file: NewFile): Promise<Deliverable>;
}

/** What one step of an agent comes to. `work` is kept for the later steps of the attempt. */
export type StepOutcome =
  | {
      readonly kind: "progress";
      readonly progress: number;
      readonly phase: string;
      readonly work: JsonObject;
    }
  | {
      readonly kind: "block";
      readonly why: BlockKind;
      readonly question: string;
      readonly work: JsonObject;
    }
  | { readonly kind: "submit" | "complete"; readonly outcome: Outcome }
  | { readonly kind: "fail"; readonly error: TaskError };

/** One durable step of an agent's work on a task. A crash repeats at most one. */
export type Step = (task: Task, hands: Hands) => Promise<StepOutcome>;
