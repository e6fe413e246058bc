import type { Json, JsonObject } from "../../../src/kernel/json.ts";

const HOOK = "https://93.184.216.34/push";
const MESSAGE = { role: "ROLE_USER", parts: [{ text: "1702" }] };
const CONFIG = { taskId: "{{task:pending}}", id: "cfg" };

function request(method: string, params: JsonObject = {}): string {
  return JSON.stringify({ jsonrpc: "2.0", id: 1, method, params });
}

function called(name: string, given: Readonly<Record<string, Json>> = {}): string {
  return request("tools/call", { name, arguments: given });
}

/** Requests for MCP methods, one call of each task tool, and one of a granted tool. */
export const MCP_BODIES: readonly string[] = [
  request("initialize", {
    protocolVersion: "2025-11-25",
    capabilities: {},
    clientInfo: { name: "fuzz", version: "1" },
  }),
  request("ping"),
  request("tools/list"),
  called("create_task", { task: "Read", agentId: "researcher" }),
  called("get_task", { taskId: "{{task:pending}}" }),
  called("list_tasks"),
  called("list_deliverables", { taskId: "{{task:completed}}" }),
  called("cancel_task", { taskId: "{{task:pending}}" }),
  called("respond_task", { taskId: "{{task:blocked}}", response: "1702" }),
  called("review_task", { taskId: "{{task:review}}", decision: "approve" }),
  called("claim_task", { agentId: "{{agent:waiting}}", waitSeconds: 0 }),
  called("report_task", { taskId: "{{task:in_progress}}", lease: "{{lease}}", type: "heartbeat" }),
  called("json-workbench__query", { document: "[1]", path: "$[0]" }),
];

/** At least one request per A2A method. */
export const A2A_BODIES: readonly string[] = [
  request("SendMessage", {
    message: { ...MESSAGE, messageId: "{{fresh}}" },
    configuration: { returnImmediately: true },
  }),
  request("SendMessage", {
    message: { ...MESSAGE, messageId: "{{fresh}}", taskId: "{{task:blocked}}" },
    configuration: { returnImmediately: true },
  }),
  request("SendStreamingMessage", { message: { ...MESSAGE, messageId: "{{fresh}}" } }),
  request("GetTask", { id: "{{task:completed}}" }),
  request("ListTasks"),
  request("CancelTask", { id: "{{task:pending}}" }),
  request("SubscribeToTask", { id: "{{task:blocked}}" }),
  request("CreateTaskPushNotificationConfig", { ...CONFIG, url: HOOK }),
  request("GetTaskPushNotificationConfig", CONFIG),
  request("ListTaskPushNotificationConfigs", { taskId: CONFIG.taskId }),
  request("DeleteTaskPushNotificationConfig", CONFIG),
  request("GetExtendedAgentCard"),
];
