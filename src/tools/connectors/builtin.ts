import type { JsonObject } from "../../domain/json.ts";
import type { Problem } from "../../domain/problem.ts";
import type { Result } from "../../domain/result.ts";
import type { Runs } from "./builtin/contract.ts";

/** The built-in tools; each is loaded when it is first used, which keeps the Worker's start short. */
const TOOLS: Readonly<Record<string, () => Promise<{ runs: Runs }>>> = {
  "json-workbench": () => import("./builtin/json-workbench/runs.ts"),
  "table-analyst": () => import("./builtin/table-analyst/runs.ts"),
  "message-composer": () => import("./builtin/message-composer/runs.ts"),
  "text-analyst": () => import("./builtin/text-analyst/runs.ts"),
  "chart-maker": () => import("./builtin/chart-maker/runs.ts"),
  "format-bridge": () => import("./builtin/format-bridge/runs.ts"),
};

/** Runs a capability inside the service; problems name the parameters that could not be worked with. */
export async function runBuiltin(
  toolId: string,
  capability: string,
  parameters: JsonObject,
): Promise<Result<JsonObject, Problem[]>> {
  const load = TOOLS[toolId];
  const runs = load === undefined ? undefined : (await load()).runs;
  const run = runs?.[capability];
  if (run === undefined) throw new Error(`No built-in work for ${capability} of ${toolId}`);
  return run(parameters);
}
