import type { Tool } from "@modelcontextprotocol/server";
import type { Key } from "../../../domain/key.ts";
import { CLIENT_TOOLS } from "./clients.ts";
import type { TaskTool } from "./contract.ts";
import { inputSchemaOf } from "./input-schema.ts";
import { WORKER_TOOLS } from "./workers.ts";

/** In the order in which they are listed. */
const TASK_TOOLS: readonly TaskTool[] = [...CLIENT_TOOLS, ...WORKER_TOOLS];

/** The same for every key and request, and so made once. */
const listed = new Map<string, Tool>();

/** The task tools that the scopes of a key open. */
export function listTaskTools({ scopes }: Pick<Key, "scopes">): Tool[] {
  return TASK_TOOLS.filter(({ scope }) => scopes.includes(scope)).map(toolOf);
}

/** A task tool by its name, null where the key's scopes do not open it. */
export function findTaskTool({ scopes }: Pick<Key, "scopes">, name: string): TaskTool | null {
  return TASK_TOOLS.find((one) => one.name === name && scopes.includes(one.scope)) ?? null;
}

function toolOf(taskTool: TaskTool): Tool {
  const known = listed.get(taskTool.name);
  if (known !== undefined) return known;
  const { name, title, description, annotations } = taskTool;
  const tool = { name, title, description, inputSchema: inputSchemaOf(taskTool), annotations };
  listed.set(name, tool);
  return tool;
}
