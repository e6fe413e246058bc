import type { JsonObject } from "../../src/kernel/json.ts";
import type { Scope } from "../../src/keys/model/key.ts";
import { ROOT } from "../support/client.ts";
import { sendRequest, type RequestSpec } from "./send-request.ts";
import { uniqueName, must, taskOf, type Tenant } from "./tenants.ts";
import type { Endpoint, Prepared } from "./endpoint.ts";
import { missingTaskId } from "./unknown-ids.ts";

const HEADERS = { "A2A-Version": "1.0" };
const HOOK = "https://93.184.216.34/push";
const READ: readonly Scope[] = ["tasks:read"];
const WRITE: readonly Scope[] = ["tasks:write"];
const BOTH: readonly Scope[] = ["tasks:read", "tasks:write"];

/** One A2A method, with its form in both bindings. */
interface Method {
  readonly name: string;
  readonly asks: readonly Scope[];
  readonly changes: boolean;
  /** The JSON-RPC parameters of the method for a task. `one` is a unique name. */
  readonly params: (id: string, one: string) => JsonObject;
  readonly rest: (id: string, one: string) => RequestSpec;
  readonly status?: number;
  /** Prepares a task; null for methods that name no task. */
  readonly of: ((tenant: Tenant) => Promise<{ id: string; one: string }>) | null;
}

export function rpc(method: string, params: JsonObject): RequestSpec {
  const body = { jsonrpc: "2.0", id: 1, method, params };
  return { method: "POST", path: "/a2a", body, headers: HEADERS };
}

export function rest(method: string, path: string, body?: JsonObject): RequestSpec {
  const at = { method, path: `/a2a/v1${path}`, headers: HEADERS };
  return body === undefined ? at : { ...at, body };
}

const pending = async (tenant: Tenant) => ({
  id: (await taskOf(tenant, "pending")).id,
  one: uniqueName("cfg"),
});

/** Creates a task with a push notification configuration. */
async function configured(tenant: Tenant): Promise<{ id: string; one: string }> {
  const made = await pending(tenant);
  const asked = rpc("CreateTaskPushNotificationConfig", {
    taskId: made.id,
    id: made.one,
    url: HOOK,
  });
  const answer = await sendRequest(asked, `Bearer ${ROOT}`);
  must(answer);
  if (answer.body.error !== undefined) throw new Error(answer.text);
  return made;
}

/** A message that answers the question of a blocked task. */
function answerTo(taskId: string, messageId: string): JsonObject {
  const message = { messageId, role: "ROLE_USER", taskId, parts: [{ text: "1702" }] };
  return { message, configuration: { returnImmediately: true } };
}

const blocked = async (tenant: Tenant) => ({
  id: (await taskOf(tenant, "blocked")).id,
  one: uniqueName("msg"),
});

const METHODS: readonly Method[] = [
  {
    name: "SendMessage",
    asks: BOTH,
    changes: true,
    params: answerTo,
    rest: (id, one) => rest("POST", "/message:send", answerTo(id, one)),
    of: blocked,
  },
  {
    name: "SendStreamingMessage",
    asks: BOTH,
    changes: true,
    params: answerTo,
    rest: (id, one) => rest("POST", "/message:stream", answerTo(id, one)),
    of: blocked,
  },
  {
    name: "GetTask",
    asks: READ,
    changes: false,
    params: (id) => ({ id }),
    rest: (id) => rest("GET", `/tasks/${id}`),
    of: pending,
  },
  {
    name: "ListTasks",
    asks: READ,
    changes: false,
    params: () => ({}),
    rest: () => rest("GET", "/tasks"),
    of: null,
  },
  {
    name: "CancelTask",
    asks: BOTH,
    changes: true,
    params: (id) => ({ id }),
    rest: (id) => rest("POST", `/tasks/${id}:cancel`, {}),
    of: pending,
  },
  {
    name: "SubscribeToTask",
    asks: READ,
    changes: false,
    params: (id) => ({ id }),
    rest: (id) => rest("GET", `/tasks/${id}:subscribe`),
    of: pending,
  },
  {
    name: "CreateTaskPushNotificationConfig",
    asks: BOTH,
    changes: true,
    params: (taskId, id) => ({ taskId, id, url: HOOK }),
    rest: (id, one) => rest("POST", `/tasks/${id}/pushNotificationConfigs`, { id: one, url: HOOK }),
    status: 201,
    of: pending,
  },
  {
    name: "GetTaskPushNotificationConfig",
    asks: READ,
    changes: false,
    params: (taskId, id) => ({ taskId, id }),
    rest: (id, one) => rest("GET", `/tasks/${id}/pushNotificationConfigs/${one}`),
    of: configured,
  },
  {
    name: "ListTaskPushNotificationConfigs",
    asks: READ,
    changes: false,
    params: (taskId) => ({ taskId }),
    rest: (id) => rest("GET", `/tasks/${id}/pushNotificationConfigs`),
    of: configured,
  },
  {
    name: "DeleteTaskPushNotificationConfig",
    asks: WRITE,
    changes: true,
    params: (taskId, id) => ({ taskId, id }),
    rest: (id, one) => rest("DELETE", `/tasks/${id}/pushNotificationConfigs/${one}`),
    status: 204,
    of: configured,
  },
  {
    name: "GetExtendedAgentCard",
    asks: WRITE,
    changes: false,
    params: () => ({}),
    rest: () => rest("GET", "/extendedAgentCard"),
    of: null,
  },
];

/**
 * The names of all methods, for comparison with the list that JSON-RPC returns for an unknown
 * method.
 */
export const A2A_METHODS = METHODS.map(({ name }) => name);

/** Every A2A 1.0 method over both bindings, and the agent card. */
export const A2A_ENDPOINTS: readonly Endpoint[] = [
  ...METHODS.flatMap((method) => [endpointOf(method, "a2a-rpc"), endpointOf(method, "a2a-rest")]),
  {
    name: "A2A's card",
    protocol: "a2a-rest",
    asks: null,
    missing: null,
    changes: false,
    prepare: async () => ({
      asked: { method: "GET", path: "/.well-known/agent-card.json" },
      missing: null,
      ids: ["", ""],
      status: 200,
      taskId: null,
    }),
  },
];

function endpointOf(method: Method, protocol: "a2a-rpc" | "a2a-rest"): Endpoint {
  const { name, asks, changes, of, params, status = 200 } = method;
  const asked = (id: string, one: string): RequestSpec =>
    protocol === "a2a-rpc" ? rpc(name, params(id, one)) : method.rest(id, one);
  return {
    name: `A2A ${name} over ${protocol === "a2a-rpc" ? "JSON-RPC" : "REST"}`,
    protocol,
    asks,
    missing: of === null ? null : "TASK_NOT_FOUND",
    changes,
    async prepare(tenant): Promise<Prepared> {
      const success = protocol === "a2a-rpc" ? 200 : status;
      if (of === null) {
        const ids = ["", ""] as const;
        return { asked: asked("", ""), missing: null, ids, status: success, taskId: null };
      }
      const { id, one } = await of(tenant);
      const missing = missingTaskId();
      return {
        asked: asked(id, one),
        missing: asked(missing, one),
        ids: [id, missing],
        status: success,
        taskId: id,
      };
    },
  };
}
