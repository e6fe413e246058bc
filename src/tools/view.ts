import { formatDuration } from "../kernel/text.ts";
import type { Invocation, InvocationResult } from "./model/invocation.ts";
import { CAPABILITIES_PAGE_CHARACTERS_MAX } from "./limits.ts";
import { PAGE_LIMIT_MAX } from "../kernel/limits.ts";
import { toPublicDocumentation, type StoredCapability } from "./model/tool.ts";
import type { ToolWithCapabilities } from "./model/tool-changes.ts";
import type { ToolDetail } from "./catalogue.store.ts";
import { toPublicCapability } from "./model/capability.ts";

/** A tool with its first capabilities. Only managers see connector and source. */
export function toolView(detail: ToolDetail, manages: boolean): object {
  const { connector, capabilities, ...rest } = detail;
  const { source: _, createdBy: __, requestBaseUrls: ___, ...tool } = rest;
  const inner = manages
    ? { connector, ...originView(detail) }
    : { documentation: toPublicDocumentation(detail), connector: { type: connector.type } };
  return {
    ...tool,
    ...inner,
    capabilities: capabilities.map((one) => capabilityView(one, manages)),
  };
}

export function changedToolView({ tool, capabilities }: ToolWithCapabilities): object {
  const { source: _, createdBy: __, ...rest } = tool;
  return {
    ...rest,
    ...originView(tool),
    capabilities: firstPage(capabilities).map((one) => capabilityView(one, true)),
    totalCapabilities: capabilities.length,
  };
}

/** The first capabilities, up to the size limit of a response. */
function firstPage(capabilities: readonly StoredCapability[]): StoredCapability[] {
  let characters = 0;
  return capabilities.slice(0, PAGE_LIMIT_MAX).filter(({ parameters }) => {
    const isBefore = characters < CAPABILITIES_PAGE_CHARACTERS_MAX;
    characters += JSON.stringify(parameters).length;
    return isBefore;
  });
}

/** A capability. Managers also see its request or remote tool. */
export function capabilityView(capability: StoredCapability, manages: boolean): object {
  const shown = toPublicCapability(capability);
  const { operation } = capability;
  if (!manages || operation === null) return shown;
  return operation.type === "http"
    ? { ...shown, request: operation.request }
    : { ...shown, tool: operation.tool };
}

function originView({ source, createdBy }: Pick<ToolDetail, "source" | "createdBy">): object {
  return { ...(source === null ? {} : { source }), ...(createdBy === null ? {} : { createdBy }) };
}

/** `usage` in the response of an invocation. `cost` in US dollars. */
export interface InvocationUsageView {
  readonly toolId: string;
  readonly capability: string;
  readonly cost: number;
  readonly duration: string;
}

export function invocationUsageView(
  { toolId, capability }: Pick<Invocation, "toolId" | "capability">,
  { cost, durationMs }: InvocationResult,
): InvocationUsageView {
  return { toolId, capability, cost, duration: formatDuration(durationMs) };
}
