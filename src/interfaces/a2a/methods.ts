import type * as z from "zod";
import type { Scope } from "../../keys/model/key.ts";
import type { A2aVersion } from "./call-context.ts";
import { LEGACY_PARAMS, PARAMS } from "./schemas.ts";

/** A method: the scopes that a key needs, and the schema of the parameters. */
interface A2aMethod {
  readonly scopes: readonly Scope[];
  readonly params: z.ZodType<object>;
}

const READ: readonly Scope[] = ["tasks:read"];
const WRITE: readonly Scope[] = ["tasks:write"];
/** Responses and notifications with a task show as much as reading it. */
const READ_WRITE: readonly Scope[] = [...READ, ...WRITE];

/** The methods of each version by their JSON-RPC name; REST maps its paths to those of 1.0. */
export const METHODS: Readonly<Record<A2aVersion, ReadonlyMap<string, A2aMethod>>> = {
  "1.0": new Map([
    ["SendMessage", { scopes: READ_WRITE, params: PARAMS.message }],
    ["SendStreamingMessage", { scopes: READ_WRITE, params: PARAMS.message }],
    ["GetTask", { scopes: READ, params: PARAMS.task }],
    ["ListTasks", { scopes: READ, params: PARAMS.tasks }],
    ["CancelTask", { scopes: READ_WRITE, params: PARAMS.cancelled }],
    ["SubscribeToTask", { scopes: READ, params: PARAMS.subscribed }],
    ["CreateTaskPushNotificationConfig", { scopes: READ_WRITE, params: PARAMS.newPushConfig }],
    ["GetTaskPushNotificationConfig", { scopes: READ, params: PARAMS.pushConfig }],
    ["ListTaskPushNotificationConfigs", { scopes: READ, params: PARAMS.pushConfigs }],
    ["DeleteTaskPushNotificationConfig", { scopes: WRITE, params: PARAMS.pushConfig }],
    ["GetExtendedAgentCard", { scopes: WRITE, params: PARAMS.none }],
  ]),
  "0.3": new Map([
    ["message/send", { scopes: READ_WRITE, params: LEGACY_PARAMS.message }],
    ["message/stream", { scopes: READ_WRITE, params: LEGACY_PARAMS.message }],
    ["tasks/get", { scopes: READ, params: PARAMS.task }],
    ["tasks/cancel", { scopes: READ_WRITE, params: PARAMS.cancelled }],
    ["tasks/resubscribe", { scopes: READ, params: PARAMS.subscribed }],
    [
      "tasks/pushNotificationConfig/set",
      { scopes: READ_WRITE, params: LEGACY_PARAMS.newPushConfig },
    ],
    ["tasks/pushNotificationConfig/get", { scopes: READ, params: LEGACY_PARAMS.pushConfig }],
    ["tasks/pushNotificationConfig/list", { scopes: READ, params: LEGACY_PARAMS.pushConfigs }],
    [
      "tasks/pushNotificationConfig/delete",
      { scopes: WRITE, params: LEGACY_PARAMS.namedPushConfig },
    ],
    ["agent/getAuthenticatedExtendedCard", { scopes: WRITE, params: PARAMS.none }],
  ]),
};
