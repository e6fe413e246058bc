import { TaskState } from "@a2a-js/sdk";
import * as z from "zod";
import { A2A_MESSAGE_ID_CHARACTERS_MAX, A2A_MESSAGE_PARTS_MAX } from "./limits.ts";
import { OAUTH_CLIENT_TEXT_CHARACTERS_MAX } from "../../tools/limits.ts";
import { decodeBase64url } from "../../kernel/bytes.ts";
import { ID_CHARACTERS_MAX, NAME_CHARACTERS_MAX, PAGE_LIMIT_MAX } from "../../kernel/limits.ts";
import { MEDIA_TYPE_CHARACTERS_MAX } from "../../tasks/limits.ts";
import type { Json } from "../../kernel/json.ts";
import type { Scope } from "../../keys/model/key.ts";
import { idText, jsonObject, secretText } from "../../http/validation.ts";
import type { A2aVersion } from "./call-context.ts";

/** In ProtoJSON, null means absent, and unknown fields are ignored. */
function optionalField<Schema extends z.ZodType>(schema: Schema) {
  return schema.nullish().transform((value) => value ?? undefined);
}

const optionalIdField = optionalField(z.string().max(ID_CHARACTERS_MAX));
const metadata = optionalField(jsonObject);
const historyLength = optionalField(z.int().min(0));
const filename = optionalField(z.string().max(NAME_CHARACTERS_MAX));
const mediaType = optionalField(z.string().max(MEDIA_TYPE_CHARACTERS_MAX));
const base64 = z
  .string()
  .refine((text) => decodeBase64url(text) !== null, { error: "must be base64" });

const part = z
  .object({
    text: optionalField(z.string()),
    raw: optionalField(base64),
    url: optionalField(z.string()),
    data: z.custom<Json>().optional(),
    filename,
    mediaType,
  })
  .refine(
    ({ text, raw, url, data }) =>
      [text, raw, url, data ?? undefined].filter((one) => one !== undefined).length === 1,
    { error: "must contain exactly one of text, raw, url and data" },
  );

const legacyPart = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("text"), text: z.string() }),
  z.object({ kind: z.literal("data"), data: jsonObject }),
  z.object({
    kind: z.literal("file"),
    file: z.union(
      [
        z.object({ bytes: base64, name: filename, mimeType: mediaType }),
        z.object({ uri: z.string(), name: filename, mimeType: mediaType }),
      ],
      { error: "must contain either bytes (base64) or uri" },
    ),
  }),
]);

function messageSchema<Part extends z.ZodType>(role: string, partSchema: Part) {
  return z.object({
    messageId: z.string().min(1).max(A2A_MESSAGE_ID_CHARACTERS_MAX),
    contextId: optionalIdField,
    taskId: optionalIdField,
    role: z.literal([role]),
    parts: z.array(partSchema).min(1).max(A2A_MESSAGE_PARTS_MAX),
    metadata,
  });
}

const authenticationScheme = z.string().regex(/^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,64}$/, {
  error: "must be an authentication scheme such as Bearer",
});

function pushConfigFields<Scheme extends z.ZodRawShape>(scheme: Scheme) {
  return {
    id: optionalIdField,
    url: z.string().min(1).max(OAUTH_CLIENT_TEXT_CHARACTERS_MAX),
    token: optionalField(secretText),
    authentication: optionalField(z.object({ ...scheme, credentials: optionalField(secretText) })),
  };
}

const pushConfig = pushConfigFields({ scheme: authenticationScheme });
const legacyPushConfig = z.object(
  pushConfigFields({ schemes: z.array(authenticationScheme).min(1).max(1) }),
);

const TASK_STATE_NAMES = Object.values(TaskState).filter(
  (name): name is string => typeof name === "string" && name !== "UNRECOGNIZED",
);

const sendMessage = z.object({
  message: messageSchema("ROLE_USER", part),
  configuration: optionalField(
    z.object({
      historyLength,
      returnImmediately: optionalField(z.boolean()),
      taskPushNotificationConfig: optionalField(z.object(pushConfig)),
    }),
  ),
  metadata,
});
const legacySendMessage = z.object({
  message: messageSchema("user", legacyPart),
  configuration: optionalField(
    z.object({
      historyLength,
      // A2A 0.3 defines no default, but its SDKs block by default. Requests without a configuration block too.
      blocking: z
        .boolean()
        .nullish()
        .transform((value) => value ?? true),
      pushNotificationConfig: optionalField(legacyPushConfig),
    }),
  ),
  metadata,
});
const listTasks = z.object({
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
const getTask = z.object({ id: idText, historyLength });
const cancelTask = z.object({ id: idText, metadata });
const subscribeToTask = z.object({ id: idText });
const newPushConfig = z.object({ taskId: idText, ...pushConfig });
const pushConfigOfTask = z.object({ taskId: idText, id: idText });
const legacyNewPushConfig = z.object({ taskId: idText, pushNotificationConfig: legacyPushConfig });
const legacyGetPushConfig = z.object({ id: idText, pushNotificationConfigId: optionalIdField });
const legacyDeletePushConfig = z.object({ id: idText, pushNotificationConfigId: idText });

/** A method, with the scopes it requires and the schema of its parameters. */
interface A2aMethod {
  readonly scopes: readonly Scope[];
  readonly params: z.ZodType<object>;
}

const READ: readonly Scope[] = ["tasks:read"];
const WRITE: readonly Scope[] = ["tasks:write"];
/** Scopes for methods that make a change and also reveal a task, either in the response or in notifications. */
const READ_AND_WRITE: readonly Scope[] = [...READ, ...WRITE];

/** The methods of each version, by JSON-RPC name. REST paths map to the 1.0 methods. */
export const METHODS: Readonly<Record<A2aVersion, ReadonlyMap<string, A2aMethod>>> = {
  "1.0": new Map([
    ["SendMessage", { scopes: READ_AND_WRITE, params: sendMessage }],
    ["SendStreamingMessage", { scopes: READ_AND_WRITE, params: sendMessage }],
    ["GetTask", { scopes: READ, params: getTask }],
    ["ListTasks", { scopes: READ, params: listTasks }],
    ["CancelTask", { scopes: READ_AND_WRITE, params: cancelTask }],
    ["SubscribeToTask", { scopes: READ, params: subscribeToTask }],
    ["CreateTaskPushNotificationConfig", { scopes: READ_AND_WRITE, params: newPushConfig }],
    ["GetTaskPushNotificationConfig", { scopes: READ, params: pushConfigOfTask }],
    ["ListTaskPushNotificationConfigs", { scopes: READ, params: z.object({ taskId: idText }) }],
    ["DeleteTaskPushNotificationConfig", { scopes: WRITE, params: pushConfigOfTask }],
    ["GetExtendedAgentCard", { scopes: WRITE, params: z.object({}) }],
  ]),
  "0.3": new Map([
    ["message/send", { scopes: READ_AND_WRITE, params: legacySendMessage }],
    ["message/stream", { scopes: READ_AND_WRITE, params: legacySendMessage }],
    ["tasks/get", { scopes: READ, params: getTask }],
    ["tasks/cancel", { scopes: READ_AND_WRITE, params: cancelTask }],
    ["tasks/resubscribe", { scopes: READ, params: subscribeToTask }],
    ["tasks/pushNotificationConfig/set", { scopes: READ_AND_WRITE, params: legacyNewPushConfig }],
    ["tasks/pushNotificationConfig/get", { scopes: READ, params: legacyGetPushConfig }],
    ["tasks/pushNotificationConfig/list", { scopes: READ, params: z.object({ id: idText }) }],
    ["tasks/pushNotificationConfig/delete", { scopes: WRITE, params: legacyDeletePushConfig }],
    ["agent/getAuthenticatedExtendedCard", { scopes: WRITE, params: z.object({}) }],
  ]),
};
