import { TaskState } from "@a2a-js/sdk";
import * as z from "zod";
import { A2A_MESSAGE_ID_CHARACTERS_MAX, A2A_MESSAGE_PARTS_MAX } from "./limits.ts";
import { OAUTH_CLIENT_TEXT_CHARACTERS_MAX } from "../../tools/limits.ts";
import { ID_CHARACTERS_MAX, NAME_CHARACTERS_MAX, PAGE_LIMIT_MAX } from "../../kernel/limits.ts";
import { MEDIA_TYPE_CHARACTERS_MAX } from "../../tasks/limits.ts";
import type { Json } from "../../kernel/json.ts";
import { jsonObject, secretText } from "../../http/validation.ts";

/** In ProtoJSON null is the same as absent, and unknown fields are ignored. */
export function optionalField<Schema extends z.ZodType>(schema: Schema) {
  return schema.nullish().transform((value) => value ?? undefined);
}

export const idField = z.string().min(1).max(ID_CHARACTERS_MAX);
const optionalIdField = optionalField(z.string().max(ID_CHARACTERS_MAX));
export const historyLength = optionalField(z.int().min(0));
const urlField = z.string().min(1).max(OAUTH_CLIENT_TEXT_CHARACTERS_MAX);

const messagePart = z
  .object({
    text: optionalField(z.string()),
    raw: optionalField(z.string()),
    url: optionalField(z.string()),
    data: z.custom<Json>().optional(),
    filename: optionalField(z.string().max(NAME_CHARACTERS_MAX)),
    mediaType: optionalField(z.string().max(MEDIA_TYPE_CHARACTERS_MAX)),
  })
  .refine(
    ({ text, raw, url: link, data }) =>
      [text, raw, link, data ?? undefined].filter((one) => one !== undefined).length === 1,
    { error: "must hold exactly one of text, raw, url and data" },
  );
export type A2aMessagePart = z.output<typeof messagePart>;

const pushConfigFields = {
  id: optionalField(z.string().max(ID_CHARACTERS_MAX)),
  url: urlField,
  token: optionalField(secretText),
  authentication: optionalField(
    z.object({
      scheme: z
        .string()
        .regex(/^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,64}$/, { error: "must be a scheme, such as Bearer" }),
      credentials: optionalField(secretText),
    }),
  ),
};

/** Parameters of SendMessage and SendStreamingMessage. */
export const sendMessageParams = z.object({
  message: z.object({
    messageId: z.string().min(1).max(A2A_MESSAGE_ID_CHARACTERS_MAX),
    contextId: optionalIdField,
    taskId: optionalIdField,
    role: z.enum(["ROLE_USER"]),
    parts: z.array(messagePart).min(1).max(A2A_MESSAGE_PARTS_MAX),
    metadata: optionalField(jsonObject),
  }),
  configuration: optionalField(
    z.object({
      historyLength,
      returnImmediately: optionalField(z.boolean()),
      taskPushNotificationConfig: optionalField(z.object(pushConfigFields)),
    }),
  ),
  metadata: optionalField(jsonObject),
});

const TASK_STATE_NAMES = Object.values(TaskState).filter(
  (name): name is string => typeof name === "string" && name !== "UNRECOGNIZED",
);

/** Parameters of ListTasks. */
export const listTasksParams = z.object({
  contextId: optionalIdField,
  status: optionalField(z.enum(TASK_STATE_NAMES)),
  pageSize: optionalField(z.int().min(1).max(PAGE_LIMIT_MAX)),
  pageToken: optionalField(z.string().max(512)),
  historyLength,
  statusTimestampAfter: optionalField(
    z.iso.datetime({ offset: true, error: "must be a date-time such as 2030-01-31T12:00:00Z" }),
  ),
  includeArtifacts: optionalField(z.boolean()),
});

export type SendMessageParams = z.output<typeof sendMessageParams>;
export type A2aMessage = SendMessageParams["message"];
export type ListTasksParams = z.output<typeof listTasksParams>;

export const createPushConfigParams = z.object({ taskId: idField, ...pushConfigFields });
export type CreatePushConfigParams = z.output<typeof createPushConfigParams>;
export const pushConfigParams = z.object({ taskId: idField, id: idField });
