import type { ToolAnnotations, Tool } from "@modelcontextprotocol/server";
import * as z from "zod";
import { ID_CHARACTERS_MAX } from "../../../kernel/limits.ts";
import { fail, type Result } from "../../../kernel/result.ts";
import { validateSchema } from "../../../http/validation.ts";
import type { Failure } from "../../../kernel/failure.ts";
import type { Scope } from "../../../keys/model/key.ts";
import type { McpCallContext } from "../call-context.ts";
import {
  asJson,
  isJsonObject,
  type Json,
  type JsonObject,
  toJsonObject,
} from "../../../kernel/json.ts";
import { toPortableSchema } from "../../../tools/schema/function-schema.ts";

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

export const taskIdArgument = z.string().min(1).max(ID_CHARACTERS_MAX);
export const TASK_ID_DESCRIPTION =
  "The id of the task, from create_task, list_tasks or claim_task.";

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

const DATE_FORMATS: ReadonlySet<Json | undefined> = new Set(["date", "date-time"]);

/** The JSON Schema of a task tool, generated from its Zod schema. */
export function toInputSchema({ input, fields }: TaskTool): Tool["inputSchema"] {
  const { $schema: _, ...whole } = toJsonObject(
    // Zod generates JSON without undefined.
    asJson(
      z.toJSONSchema(input, {
        io: "input",
        unrepresentable: "any",
        override({ zodSchema, jsonSchema }) {
          // Free-form objects allow additional properties.
          if (zodSchema._zod.def.type === "custom") jsonSchema.type ??= "object";
          // The pattern of a date is long, and `format` states the same.
          if (DATE_FORMATS.has(jsonSchema.format)) delete jsonSchema.pattern;
          if (jsonSchema.type === "integer") delete jsonSchema.pattern;
          if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
        },
      }),
    ),
  );
  return { ...toPortableSchema(addDescriptions(mergeAlternatives(whole), fields)), type: "object" };
}

/** Merges alternatives into one object, because model providers reject a choice at the root. */
function mergeAlternatives({ oneOf, ...schema }: JsonObject): JsonObject {
  if (!Array.isArray(oneOf)) return schema;
  const choices = oneOf.filter(isJsonObject);
  const properties = new Map<string, Json>();
  for (const choice of choices) {
    for (const [name, one] of Object.entries(toJsonObject(choice["properties"]))) {
      properties.set(name, mergeProperty(properties.get(name), one));
    }
  }
  const required = [...properties.keys()].filter((name) =>
    choices.every(
      (choice) => Array.isArray(choice["required"]) && choice["required"].includes(name),
    ),
  );
  return { properties: Object.fromEntries(properties), required, additionalProperties: false };
}

/** Merges the same property of two alternatives. */
function mergeProperty(before: Json | undefined, one: Json): Json {
  const value = isJsonObject(one) ? one["const"] : undefined;
  if (value === undefined) return one;
  const values = isJsonObject(before) && Array.isArray(before["enum"]) ? before["enum"] : [];
  return { type: "string", enum: [...values, value] };
}

function addDescriptions(schema: JsonObject, fields: TaskTool["fields"], above = ""): JsonObject {
  const properties = Object.entries(toJsonObject(schema["properties"])).map(
    ([name, one]): [string, Json] => {
      if (!isJsonObject(one)) return [name, one];
      const path = `${above}${name}`;
      const text = fields[path];
      const within = "properties" in one ? addDescriptions(one, fields, `${path}.`) : one;
      return [name, text === undefined ? within : { ...within, description: text }];
    },
  );
  return { ...schema, properties: Object.fromEntries(properties) };
}
