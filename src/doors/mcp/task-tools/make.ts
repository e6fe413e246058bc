import type { ToolAnnotations } from "@modelcontextprotocol/server";
import * as z from "zod";
import { ID_CHARACTERS_MAX } from "../../../domain/limits.ts";
import { fail } from "../../../domain/result.ts";
import { validate } from "../../../http/validate.ts";
import type { Making, TaskTool } from "./contract.ts";

/** The argument that names a task. */
export const taskId = z.string().min(1).max(ID_CHARACTERS_MAX);
export const TASK_ID = "The id of the task, as create_task, list_tasks or claim_task gave it.";

/** What hosts are told of tools that look, that change something, and that end a task for good. */
export const READS: ToolAnnotations = {
  readOnlyHint: true,
  destructiveHint: false,
  idempotentHint: true,
  openWorldHint: false,
};
export const CHANGES: ToolAnnotations = { ...READS, readOnlyHint: false, idempotentHint: false };
export const ENDS: ToolAnnotations = { ...CHANGES, destructiveHint: true };

/** A task tool whose arguments are checked before its work. */
export function taskTool<Input extends z.ZodType>({ work, ...rest }: Making<Input>): TaskTool {
  return {
    ...rest,
    async run(caller, given, signal) {
      const read = validate(rest.input, given);
      if (!read.ok) return fail({ kind: "validation", problems: read.failure });
      return work(caller, read.value, signal);
    },
  };
}
