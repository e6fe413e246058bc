import type { ToolAnnotations } from "@modelcontextprotocol/server";
import type * as z from "zod";
import type { Failure } from "../../../domain/failure.ts";
import type { Scope } from "../../../domain/key.ts";
import type { Result } from "../../../domain/result.ts";
import type { Caller } from "../caller.ts";

/** One thing that can be done with tasks, as a tool of MCP. It does what the same request of REST does. */
export interface TaskTool {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  /** What the key must hold: without it the tool does not exist. */
  readonly scope: Scope;
  readonly annotations: ToolAnnotations;
  /** What a valid call must look like; an object, or several to choose from. */
  readonly input: z.ZodType;
  /** What arguments mean, by path: `result.summary`. */
  readonly fields: Readonly<Record<string, string>>;
  /** Judges the arguments and does the work. `signal` aborts when the client hangs up. */
  readonly run: (
    caller: Caller,
    given: unknown,
    signal: AbortSignal,
  ) => Promise<Result<object, Failure>>;
}

/** What a task tool is made of; `work` gets what `input` has let pass. */
export interface Making<Input extends z.ZodType> extends Omit<TaskTool, "run" | "input"> {
  readonly input: Input;
  readonly work: (
    caller: Caller,
    given: z.output<Input>,
    signal: AbortSignal,
  ) => Promise<Result<object, Failure>>;
}
