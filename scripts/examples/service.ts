import type { Recorder } from "./recorder.ts";

/** Records the health check, the documentation, the agent card, MCP and A2A. */
export async function recordService(recorder: Recorder): Promise<void> {
  for (const operationId of [
    "getHealth",
    "getOpenApi",
    "getDocs",
    "getDocsSettings",
    "getGuides",
  ]) {
    await recorder.record(operationId, { key: null });
  }
  await recorder.record("getGuide", { parameters: { page: "write-a-worker" }, key: null });
  await recorder.record("getDocsFile", { parameters: { file: "start.js" }, key: null });
  await recorder.record("getConsole", { key: null });
  await recorder.record("getConsoleView", { parameters: { view: "tasks" }, key: null });
  const item = { view: "tools", item: "table-analyst" };
  await recorder.record("getConsoleItem", { parameters: item, key: null });
  await recorder.record("getAgentCard", { key: null });
  await recorder.record("speakMcp", {
    body: { jsonrpc: "2.0", id: 1, method: "tools/list" },
    headers: {
      Accept: "application/json, text/event-stream",
      "MCP-Protocol-Version": "2025-11-25",
    },
  });
  await recorder.record("speakA2a", {
    body: { jsonrpc: "2.0", id: 1, method: "ListTasks", params: {} },
    headers: { "A2A-Version": "1.0" },
  });
}
