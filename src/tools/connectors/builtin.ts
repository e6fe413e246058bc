import type { JsonObject } from "../../kernel/json.ts";
import type { Problem } from "../../kernel/problem.ts";
import type { Result } from "../../kernel/result.ts";
import type { CapabilityHandlers } from "./contract.ts";

/** The built-in tools. Each is loaded with its first call, which keeps the start of the Worker short. */
const TOOL_LOADERS: Readonly<Record<string, () => Promise<CapabilityHandlers>>> = {
  "json-workbench": async () =>
    (await import("../../builtin/tools/json-workbench/handlers.ts")).jsonWorkbenchHandlers,
  "table-analyst": async () =>
    (await import("../../builtin/tools/table-analyst/handlers.ts")).tableAnalystHandlers,
  "message-composer": async () =>
    (await import("../../builtin/tools/message-composer/handlers.ts")).messageComposerHandlers,
  "text-analyst": async () =>
    (await import("../../builtin/tools/text-analyst/handlers.ts")).textAnalystHandlers,
  "chart-maker": async () =>
    (await import("../../builtin/tools/chart-maker/handlers.ts")).chartMakerHandlers,
  "format-bridge": async () =>
    (await import("../../builtin/tools/format-bridge/handlers.ts")).formatBridgeHandlers,
};

/** Runs a capability of a built-in tool; problems begin with the name of a parameter. */
export async function runBuiltin(
  toolId: string,
  capability: string,
  parameters: JsonObject,
): Promise<Result<JsonObject, Problem[]>> {
  const load = TOOL_LOADERS[toolId];
  const handlers = load === undefined ? undefined : await load();
  const handler = handlers?.[capability];
  if (handler === undefined) throw new Error(`No built-in work for ${capability} of ${toolId}`);
  return handler(parameters);
}
