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

/** Runs a tool and returns its structured content. `signal` aborts when the client disconnects. */
type RunTool<Given> = (
  call: McpCallContext,
  given: Given,
  signal: AbortSignal,
) => Promise<Result<Readonly<Record<string, unknown>>, Failure>>;

/** An MCP tool for tasks, with the same effect as the corresponding REST request. */
export interface TaskTool {
  /** The scope that the key needs. Without it, the tool is hidden. */
  readonly scope: Scope;
  /** The same for every key. */
  readonly listed: Tool;
  readonly run: RunTool<unknown>;
}

interface TaskToolDefinition<Input extends z.ZodType> {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly scope: Scope;
  readonly annotations: ToolAnnotations;
  /** The schema of the arguments: an object, or a union of objects. */
  readonly input: Input;
  readonly execute: RunTool<z.output<Input>>;
}

export const taskIdArgument = z
  .string()
  .min(1)
  .max(ID_CHARACTERS_MAX)
  .describe("The id of the task, as returned by create_task, list_tasks or claim_task.");

/** Annotations for tools that only read, tools that change something, and tools that can end a task. */
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

export function defineTaskTool<Input extends z.ZodType>({
  scope,
  input,
  execute,
  annotations,
  ...texts
}: TaskToolDefinition<Input>): TaskTool {
  return {
    scope,
    listed: { ...texts, inputSchema: toInputSchema(input), annotations },
    async run(call, given, signal) {
      const read = validateSchema(input, given);
      if (!read.ok) return fail({ kind: "validation", problems: read.failure });
      return execute(call, read.value, signal);
    },
  };
}

const DATE_FORMATS: ReadonlySet<Json | undefined> = new Set(["date", "date-time"]);

/** Provides schema metadata without component names, so that Zod inlines schemas instead of generating references. */
class InlineRegistry extends z.core.$ZodRegistry<z.core.GlobalMeta> {
  override get(schema: z.core.$ZodType) {
    const { id: _, ...meta } = z.globalRegistry.get(schema) ?? {};
    return meta;
  }
}
const INLINE_REGISTRY = new InlineRegistry();

/** The JSON Schema of a task tool's arguments, generated from the Zod schema. */
function toInputSchema(input: z.ZodType): Tool["inputSchema"] {
  const { $schema: _, ...whole } = toJsonObject(
    // Zod's output is plain JSON, without undefined values.
    asJson(
      z.toJSONSchema(input, {
        io: "input",
        metadata: INLINE_REGISTRY,
        unrepresentable: "any",
        override({ zodSchema, jsonSchema }) {
          // A custom Zod schema represents a free-form object.
          if (zodSchema._zod.def.type === "custom") jsonSchema.type ??= "object";
          // `format` makes the long pattern of a date redundant.
          if (DATE_FORMATS.has(jsonSchema.format)) delete jsonSchema.pattern;
          if (jsonSchema.type === "integer") delete jsonSchema.pattern;
          if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
        },
      }),
    ),
  );
  return { ...toPortableSchema(mergeAlternatives(whole)), type: "object" };
}

/** Merges alternatives into one object, because model providers reject a union at the root. */
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

function mergeProperty(before: Json | undefined, one: Json): Json {
  if (!isJsonObject(one) || one["const"] === undefined) return one;
  const { const: value, ...rest } = one;
  const values = isJsonObject(before) && Array.isArray(before["enum"]) ? before["enum"] : [];
  return { ...rest, enum: [...values, value] };
}

/** Converts numbers to text, as in query parameters. */
export function stringifyNumbers(given: unknown): unknown {
  if (typeof given !== "object" || given === null) return given;
  return Object.fromEntries(
    Object.entries(given).map(([name, value]) => [
      name,
      typeof value === "number" ? String(value) : value,
    ]),
  );
}
