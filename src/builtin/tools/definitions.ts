import type { ToolDefinition } from "../../tools/model/tool.ts";
import { chartMaker } from "./chart-maker/definition.ts";
import { formatBridge } from "./format-bridge/definition.ts";
import { jsonWorkbench } from "./json-workbench/definition.ts";
import { messageComposer } from "./message-composer/definition.ts";
import { tableAnalyst } from "./table-analyst/definition.ts";
import { textAnalyst } from "./text-analyst/definition.ts";

export const BUILTIN_TOOLS: readonly ToolDefinition[] = [
  jsonWorkbench,
  tableAnalyst,
  messageComposer,
  textAnalyst,
  chartMaker,
  formatBridge,
];
