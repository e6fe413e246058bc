import * as z from "zod";
import * as schema from "../../http/schemas.ts";
import { cursorText, pageQueryOf } from "../../http/validation.ts";
import { CALL_OUTCOMES, CALL_SOURCES } from "../model/call-record.ts";
import { taskIdSchema } from "./task-schemas.ts";

const OUTCOMES_DESCRIPTION =
  "`ok`: the tool returned a result. `failed`: the call was made, but returned no result. `rejected`: the call was not made. `running`: the call has not ended. `interrupted`: the call started at least two minutes ago, but its outcome was never recorded, for example because of a crash; it may have been made.";

/** Query of GET /agents/tasks/:id/calls. */
export const listCallsQuery = z.object({
  outcome: z.enum(CALL_OUTCOMES).optional().describe("Only calls with this outcome."),
  limit: pageQueryOf("Calls").limit,
  cursor: cursorText.describe(
    "The `nextCursor` of the previous page, unchanged. Requires the same `outcome`.",
  ),
});

const size = z.int().min(0).describe("The size of the original value as JSON, in bytes.");

const recordedValueSchema = z
  .union([
    schema.component("CompleteValue", "A whole value, without secrets.", {
      value: z.json().describe("The value. Secrets are replaced by `***`."),
      size,
    }),
    schema.component("CutValue", "The beginning of a long value, without secrets.", {
      preview: schema.text("The beginning of the value as JSON. Secrets are replaced by `***`."),
      size,
      sha256: schema
        .matching(
          /^[0-9a-f]{64}$/,
          "The SHA-256 of the original value as JSON, in hex. Absent if only the list cut the value off, in which case reading the call returns the whole value, and if the preview contains `***` in place of a secret.",
        )
        .optional(),
    }),
  ])
  .meta({
    id: "RecordedValue",
    description:
      "A call's parameters or result: the whole value, or the beginning of a long one. A call contains at most 8,192 bytes of each, and a list 1,024 bytes.",
  });
export type RecordedValueResponse = schema.ResponseOf<typeof recordedValueSchema>;

export const taskCallSchema = schema.component(
  "TaskCall",
  "A tool call under a task, including a rejected one.",
  {
    callId: schema.text("The call's id.", "5f0f8f4e-6a3c-4e0b-9a51-2f1f0c6f4d10"),
    toolId: schema.text("The tool. It may be unknown if the call was rejected."),
    capability: schema.text("The tool's capability. It may be unknown if the call was rejected."),
    outcome: z.enum(CALL_OUTCOMES).describe(OUTCOMES_DESCRIPTION),
    source: z
      .enum(CALL_SOURCES)
      .describe(
        "How the call was made: with the REST API, over MCP, in a turn of a model, or in a step of a built-in agent.",
      ),
    agentId: schema.optional.text("The calling agent; absent if the call named none."),
    keyId: schema.optional.text(
      "The id of the calling key; absent for calls in turns and steps. Keys bound to an agent or a team do not see it.",
    ),
    requestId: schema.optional.text(
      "The id of the request that caused the call; several ids are separated by commas.",
    ),
    attempt: z.int().min(1).describe("The task's attempt when the call was made."),
    turn: schema.optional.integer("The number of the turn; absent outside turns."),
    eventSeq: schema.optional.integer(
      "The `seq` of the event that contains the call; absent if no event does.",
    ),
    startedAt: schema.instant("When the service received the call."),
    durationMs: z
      .number()
      .min(0)
      .optional()
      .describe("The duration of the call, in milliseconds; absent if it has no recorded end."),
    cost: z.number().min(0).describe("The cost of the call; 0 unless the call succeeded."),
    costUnit: z.literal("USD").describe("The unit of `cost`: US dollars."),
    parameters: recordedValueSchema,
    result: recordedValueSchema.optional(),
    error: schema
      .component("CallError", "Why a call failed or was rejected.", {
        code: schema.text("The code of the error response.", "TOOL_ACCESS_DENIED"),
        message: schema.text("A human-readable description."),
      })
      .optional(),
  },
);
export type TaskCallResponse = schema.ResponseOf<typeof taskCallSchema>;

export const taskCallListSchema = schema.component("TaskCallList", "One page of a task's calls.", {
  taskId: taskIdSchema,
  calls: schema.list(taskCallSchema, "The calls on the page, newest first."),
  limit: schema.integer("The requested limit."),
  nextCursor: z
    .string()
    .nullable()
    .describe("The `cursor` of the next page; null on the last page."),
});
