import type { ToolAnnotations } from "@modelcontextprotocol/server";
import * as z from "zod";
import { ID_CHARACTERS_MAX } from "../../../kernel/limits.ts";
import { fail, type Result } from "../../../kernel/result.ts";
import { validateSchema } from "../../../http/validation.ts";
import type { Failure } from "../../../kernel/failure.ts";
import type { Scope } from "../../../keys/model/key.ts";
import type { McpCallContext } from "../call-context.ts";

/** An MCP tool for tasks. It does the same as the REST request of the same name. */
export interface TaskTool {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  /** The scope that the key needs; without it the tool is hidden. */
  readonly scope: Scope;
  readonly annotations: ToolAnnotations;
  /** The schema of the arguments: an object, or alternatives. */
  readonly input: z.ZodType;
  /** Descriptions of arguments by path: `result.summary`. */
  readonly fields: Readonly<Record<string, string>>;
  /** Validates the arguments and runs the tool. `signal` aborts when the client disconnects. */
  readonly run: (
    call: McpCallContext,
    given: unknown,
    signal: AbortSignal,
  ) => Promise<Result<object, Failure>>;
}

/** The parts of a task tool; `execute` gets validated arguments. */
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

/** Annotations of tools that read, that change something, and that end a task. */
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
