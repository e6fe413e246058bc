import * as z from "zod";
import { LIMIT_MEASURES, LIMIT_PERIODS } from "../../governance/model/spending/limit.ts";
import { TASK_STATUSES } from "../../tasks/model/task.ts";
import * as schema from "../../http/schemas.ts";

export const EXAMPLE_METADATA = {
  requestId: "b7f1c9d0-6a43-4f7e-9a51-0d2c8e5f4a13",
  timestamp: "2030-01-31T12:00:00.000Z",
};

const metadataSchema = schema.component("Metadata", "Metadata about the response.", {
  requestId: schema.text("The request's id, which is also in the X-Request-Id header."),
  timestamp: z.iso.datetime().describe("When the response was created."),
  warnings: z
    .array(z.string())
    .min(1)
    .optional()
    .describe(
      "Parts of the request that had no effect, such as budget fields that are not enforced.",
    ),
});

export function buildSuccessEnvelope(data: z.ZodType): z.ZodType {
  return z.strictObject({ success: z.literal(true), data, metadata: metadataSchema });
}

const problemSchema = schema.component("Problem", "A problem with one field of a request.", {
  path: z.string().meta({
    description: "The path of the field, such as `context.items[3].name`.",
    example: "priority",
  }),
  message: z.string().meta({
    description: "The problem and how to fix it, phrased to follow the path.",
    example: 'must be one of low, medium, high, urgent; got "soon"',
  }),
});

const errorFields = {
  code: z
    .string()
    .meta({ description: "A machine-readable error code.", example: "TASK_NOT_FOUND" }),
  message: schema.text("A human-readable message that states the problem and how to fix it."),
  retryable: schema.flag("Whether the same request may succeed later."),
};

function buildErrorObject(description: string, more: z.core.$ZodLooseShape) {
  return z.strictObject({ ...errorFields, ...more }).describe(description);
}

function buildContext(description: string, fields: z.core.$ZodLooseShape) {
  return z.strictObject(fields).describe(description);
}

/** The schemas of `error`. A code's samples determine which one applies. */
export const ERROR_SCHEMAS = {
  Error: buildErrorObject("A rejected or failed request.", {}),
  ValidationError: buildErrorObject("An invalid request, with its problems.", {
    details: schema.list(problemSchema, "One entry per problem, at most 20."),
  }),
  StateError: buildErrorObject("A request that the task's current status does not allow.", {
    context: buildContext("The state of the task.", {
      status: z.enum(TASK_STATUSES).describe("The current status of the task."),
      allowed: z.array(z.string()).meta({
        description: "The operations that the task allows now.",
        example: ["cancel", "update"],
      }),
    }),
  }),
  VersionError: buildErrorObject(
    "A change to a resource that has been modified since it was read.",
    {
      context: buildContext("The current version.", {
        etag: z
          .string()
          .meta({ description: "The current ETag of the resource.", example: '"13"' }),
      }),
    },
  ),
  LimitError: buildErrorObject("A request that exceeds a limit.", {
    context: z
      .strictObject({
        keyId: schema.text("The id of the key that reached the limit."),
        limit: z
          .string()
          .meta({ description: "The name of the limit.", example: "requestsPerMinute" }),
        max: schema.integer("The value of the limit."),
      })
      .optional()
      .describe("The key's limit that was reached; absent for a tool's limit."),
  }),
  SpendingLimitError: buildErrorObject("A call that a spending limit does not allow.", {
    context: buildContext("The limit and its use.", {
      limitId: schema.text("The id of the limit.", "daily-spend"),
      measure: z.enum(LIMIT_MEASURES).describe("What the limit counts."),
      per: z.enum(LIMIT_PERIODS).describe("The period for which the limit applies."),
      limit: z.number().describe("The maximum use."),
      used: z.number().describe("The use in the current period."),
      reserved: z.number().describe("What calls in progress can use at most."),
      resetAt: schema
        .instant("When the current period ends.")
        .nullable()
        .describe("When the current period ends; null if waiting does not help."),
    }),
  }),
  CursorError: buildErrorObject("A cursor that points to dropped events.", {
    context: buildContext("Where to continue.", {
      cursor: schema.text("The cursor to continue with, which points to the oldest stored event."),
      droppedTo: schema.instant("When the feed received the last dropped event."),
    }),
  }),
  UpstreamError: buildErrorObject("A failure of an external system.", {
    context: z
      .looseObject({})
      .optional()
      .describe("The parts of the system's response that may be shown."),
  }),
} as const;
export type ErrorSchemaName = keyof typeof ERROR_SCHEMAS;

/** An error without context, in its envelope. */
export const errorEnvelopeSchema = z.strictObject({
  success: z.literal(false),
  error: ERROR_SCHEMAS.Error,
  metadata: metadataSchema,
});

export function buildErrorEnvelope<ErrorSchema extends object>(ofError: ErrorSchema) {
  return {
    type: "object" as const,
    properties: {
      success: { type: "boolean" as const, const: false },
      error: ofError,
      metadata: { $ref: "#/components/schemas/Metadata" },
    },
    required: ["success", "error", "metadata"],
    additionalProperties: false,
  };
}
