import * as z from "zod";
import { TASK_STATUSES } from "../../domain/task.ts";
import { instant } from "./schemas/instant.ts";

const metadata = z
  .strictObject({
    requestId: z.string().meta({ description: "The id of the request, as in X-Request-Id." }),
    timestamp: z.iso.datetime().meta({ description: "When the answer was made." }),
    warnings: z.array(z.string()).min(1).optional().meta({
      description:
        "Parts of the request that had no effect, such as budget fields that are not enforced.",
    }),
  })
  .meta({ id: "Metadata", description: "What every answer says of itself." });

/** The envelope of the specification around an answer's data. */
export function success(data: z.ZodType): z.ZodType {
  return z.strictObject({ success: z.literal(true), data, metadata });
}

const problem = z
  .strictObject({
    path: z
      .string()
      .meta({ description: "The field: `context.items[3].name`.", example: "priority" }),
    message: z.string().meta({
      description: "What is wrong with it and what to change, to be read after its path.",
      example: 'must be one of low, medium, high, urgent; got "soon"',
    }),
  })
  .meta({ id: "Problem", description: "What is wrong with one field of a request." });

const common = {
  code: z
    .string()
    .meta({ description: "What went wrong, for programs.", example: "TASK_NOT_FOUND" }),
  message: z.string().meta({ description: "What went wrong and what to do, for people." }),
  retryable: z
    .boolean()
    .meta({ description: "Whether the same request may succeed later, as it is." }),
};

function error(description: string, more: z.core.$ZodLooseShape) {
  return z.strictObject({ ...common, ...more }).meta({ description });
}

/** The forms of `error`. Which code has which form, the failures themselves say. */
export const ERRORS = {
  Error: error("A refusal or failure.", {}),
  ValidationError: error("A request with mistakes in it, all told at once.", {
    details: z.array(problem).meta({ description: "One entry for each mistake, at most 20." }),
  }),
  StateError: error("A request that the task's present status does not allow.", {
    context: z
      .strictObject({
        status: z.enum(TASK_STATUSES).meta({ description: "The status that the task has." }),
        allowed: z
          .array(z.string())
          .meta({ description: "What can be done with it now.", example: ["cancel", "update"] }),
      })
      .meta({ description: "How the task stands." }),
  }),
  VersionError: error("A change of what has changed since it was read.", {
    context: z
      .strictObject({
        etag: z.string().meta({ description: "The ETag of what it is now.", example: '"13"' }),
      })
      .meta({ description: "What it is now." }),
  }),
  LimitError: error("A request that exceeds a limit.", {
    context: z
      .strictObject({
        keyId: z.string().meta({ description: "The key that has reached the limit." }),
        limit: z.string().meta({ description: "The limit.", example: "requestsPerMinute" }),
        max: z.int().meta({ description: "Its value." }),
      })
      .optional()
      .meta({ description: "The limit of the key that was reached; absent for a tool's limit." }),
  }),
  CursorError: error("A cursor that points to dropped events.", {
    context: z
      .strictObject({
        cursor: z.string().meta({
          description: "The cursor to continue with: it points to the oldest stored event.",
        }),
        droppedTo: instant("When the feed received the last dropped event."),
      })
      .meta({ description: "Where to continue." }),
  }),
  UpstreamError: error("A failure with the words of the system that caused it.", {
    context: z
      .looseObject({})
      .optional()
      .meta({ description: "What the system said, as far as it may be shown." }),
  }),
} as const;
export type ErrorForm = keyof typeof ERRORS;

/** An error without context, in its envelope. */
export const FAILED = z.strictObject({
  success: z.literal(false),
  error: ERRORS.Error,
  metadata,
});

/** The envelope around an error, in OpenAPI's words. */
export function failure<ErrorSchema extends object>(ofError: ErrorSchema) {
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
