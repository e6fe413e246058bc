import * as z from "zod";
import {
  A2A_DOOR_ID_CHARACTERS_MAX,
  A2A_DOOR_PARTS_MAX,
  CLIENT_TEXT_CHARACTERS_MAX,
  ID_CHARACTERS_MAX,
  MEDIA_TYPE_CHARACTERS_MAX,
  NAME_CHARACTERS_MAX,
  PAGE_LIMIT_MAX,
} from "../../domain/limits.ts";
import type { Json } from "../../domain/json.ts";
import { jsonObject } from "../../http/body.ts";
import { secretText } from "../../secrets/wire.ts";

/** In ProtoJSON null is as good as nothing. Names that the protocol does not know are passed over. */
export function optional<Schema extends z.ZodType>(schema: Schema) {
  return schema.nullish().transform((value) => value ?? undefined);
}

export const id = z.string().min(1).max(ID_CHARACTERS_MAX);
const optionalId = optional(z.string().max(ID_CHARACTERS_MAX));
export const historyLength = optional(z.int().min(0));
const url = z.string().min(1).max(CLIENT_TEXT_CHARACTERS_MAX);

const part = z
  .object({
    text: optional(z.string()),
    raw: optional(z.string()),
    url: optional(z.string()),
    data: z.custom<Json>().optional(),
    filename: optional(z.string().max(NAME_CHARACTERS_MAX)),
    mediaType: optional(z.string().max(MEDIA_TYPE_CHARACTERS_MAX)),
  })
  .refine(
    ({ text, raw, url: link, data }) =>
      [text, raw, link, data ?? undefined].filter((one) => one !== undefined).length === 1,
    { error: "must hold exactly one of text, raw, url and data" },
  );
/** A part of a message as it comes. */
export type WirePart = z.output<typeof part>;

const pushConfig = {
  id: optional(z.string().max(ID_CHARACTERS_MAX)),
  url,
  token: optional(secretText),
  authentication: optional(
    z.object({
      scheme: z
        .string()
        .regex(/^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,64}$/, { error: "must be a scheme, such as Bearer" }),
      credentials: optional(secretText),
    }),
  ),
};

/** Parameters of SendMessage and SendStreamingMessage. */
export const sendParams = z.object({
  message: z.object({
    messageId: z.string().min(1).max(A2A_DOOR_ID_CHARACTERS_MAX),
    contextId: optionalId,
    taskId: optionalId,
    role: z.enum(["ROLE_USER"]),
    parts: z.array(part).min(1).max(A2A_DOOR_PARTS_MAX),
    metadata: optional(jsonObject),
  }),
  configuration: optional(
    z.object({
      historyLength,
      returnImmediately: optional(z.boolean()),
      taskPushNotificationConfig: optional(z.object(pushConfig)),
    }),
  ),
  metadata: optional(jsonObject),
});

/** Parameters of ListTasks. */
export const listParams = z.object({
  contextId: optionalId,
  status: optional(
    z.enum([
      "TASK_STATE_UNSPECIFIED",
      "TASK_STATE_SUBMITTED",
      "TASK_STATE_WORKING",
      "TASK_STATE_COMPLETED",
      "TASK_STATE_FAILED",
      "TASK_STATE_CANCELED",
      "TASK_STATE_INPUT_REQUIRED",
      "TASK_STATE_REJECTED",
      "TASK_STATE_AUTH_REQUIRED",
    ]),
  ),
  pageSize: optional(z.int().min(1).max(PAGE_LIMIT_MAX)),
  pageToken: optional(z.string().max(512)),
  historyLength,
  statusTimestampAfter: optional(
    z.iso.datetime({ offset: true, error: "must be a date-time such as 2030-01-31T12:00:00Z" }),
  ),
  includeArtifacts: optional(z.boolean()),
});

export type SendParams = z.output<typeof sendParams>;
export type WireMessage = SendParams["message"];
export type ListParams = z.output<typeof listParams>;

/** Parameters of CreateTaskPushNotificationConfig. */
export const createConfigParams = z.object({ taskId: id, ...pushConfig });
export type CreateConfigParams = z.output<typeof createConfigParams>;
/** Parameters that name one configuration. */
export const configParams = z.object({ taskId: id, id });
