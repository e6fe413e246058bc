import type { ToolAnnotations } from "@modelcontextprotocol/server";
import * as z from "zod";
import { ID_CHARACTERS_MAX } from "../../../kernel/limits.ts";
import { fail, type Result } from "../../../kernel/result.ts";
import { validateSchema } from "../../../http/validation.ts";
import type { Failure } from "../../../kernel/failure.ts";
import type { Scope } from "../../../keys/model/key.ts";
import type { McpCallContext } from "../call-context.ts";

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
    call: McpCallContext,
    given: unknown,
    signal: AbortSignal,
  ) => Promise<Result<object, Failure>>;
}

/** What a task tool is made of; `work` gets what `input` has let pass. */
interface TaskToolDefinition<Input extends z.ZodType> extends Omit<TaskTool, "run" | "input"> {
  readonly input: Input;
  readonly execute: (
    call: McpCallContext,
    given: z.output<Input>,
    signal: AbortSignal,
  ) => Promise<Result<object, Failure>>;
}

/** The argument that names a task. */
export const taskIdArgument = z.string().min(1).max(ID_CHARACTERS_MAX);
export const TASK_ID_DESCRIPTION =
  "The id of the task, as create_task, list_tasks or claim_task gave it.";

/** What hosts are told of tools that look, that change something, and that end a task for good. */
export const READ_ANNOTATIONS: ToolAnnotations = {
  readOnlyHint: true,
  destructiveHint: false,
  idempotentHint: true,
  openWorldHint: false,
};
export const WRITE_ANNOTATIONS: ToolAnnotations = {
  ...READ_ANNOTATIONS,
  readOnlyHint: false,
  idempotentHint: false,
};
export const DESTRUCTIVE_ANNOTATIONS: ToolAnnotations = {
  ...WRITE_ANNOTATIONS,
  destructiveHint: true,
};

/** A task tool whose arguments are checked before its work. */
export function defineTaskTool<Input extends z.ZodType>({
  execute,
  ...rest
}: TaskToolDefinition<Input>): TaskTool {
  return {
    ...rest,
    async run(call, given, signal) {
      const read = validateSchema(rest.input, given);
      if (!read.ok) return fail({ kind: "validation", problems: read.failure });
      return execute(call, read.value, signal);
    },
  };
}
