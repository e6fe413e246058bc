import { formatDuration } from "../kernel/text.ts";
import type { Invocation, InvocationResult } from "./model/invocation.ts";
import { CAPABILITIES_PAGE_CHARACTERS_MAX } from "./limits.ts";
import { PAGE_LIMIT_MAX } from "../kernel/limits.ts";
import { toPublicDocumentation, type StoredCapability } from "./model/tool.ts";
import type { ToolWithCapabilities } from "./model/tool-changes.ts";
import type { ToolDetail } from "./catalogue.store.ts";
import { toPublicCapability } from "./model/capability.ts";
import type { CapabilityResponse } from "./capability-schemas.ts";
import type { InvocationUsageResponse } from "./invocation-schemas.ts";
import type { ChangedToolResponse, RegisteredToolResponse, ToolResponse } from "./tool-schemas.ts";

/**
 * A tool with its first capabilities. The complete connector, the source and the owner are shown only to keys with
 * `tools:manage`.
 */
export function toolView(detail: ToolDetail, manages: boolean): ToolResponse {
  if (manages) return managedToolView(detail);
  const {
    connector,
    source: _,
    createdBy: __,
    capabilities,
    requestBaseUrls: ___,
    ...tool
  } = detail;
  return {
    ...tool,
    documentation: toPublicDocumentation(detail),
    connector: { type: connector.type },
    capabilities: capabilities.map(toPublicCapability),
  };
}

/** A tool for keys with `tools:manage`. */
export function managedToolView(detail: ToolDetail): Omit<ChangedToolResponse, "changes"> {
  const { connector, source, createdBy, capabilities, requestBaseUrls: _, ...tool } = detail;
  return {
    ...tool,
    connector,
    source: source ?? undefined,
    createdBy: createdBy ?? undefined,
    capabilities: capabilities.map((one) => capabilityView(one, true)),
  };
}

export function registeredToolView({
  tool,
  capabilities,
}: ToolWithCapabilities): RegisteredToolResponse {
  const { source, createdBy, ...rest } = tool;
  return {
    ...rest,
    source: source ?? undefined,
    createdBy: createdBy ?? undefined,
    capabilities: firstPage(capabilities).map((one) => capabilityView(one, true)),
    totalCapabilities: capabilities.length,
  };
}

/** The capabilities that fit on the first page. */
function firstPage(capabilities: readonly StoredCapability[]): StoredCapability[] {
  let characters = 0;
  return capabilities.slice(0, PAGE_LIMIT_MAX).filter(({ parameters }) => {
    const isBefore = characters < CAPABILITIES_PAGE_CHARACTERS_MAX;
    characters += JSON.stringify(parameters).length;
    return isBefore;
  });
}

/** A capability. Its request or remote tool is shown only to keys with `tools:manage`. */
export function capabilityView(capability: StoredCapability, manages: boolean): CapabilityResponse {
  const shown = toPublicCapability(capability);
  const { operation } = capability;
  if (!manages || operation === null) return shown;
  return operation.type === "http"
    ? { ...shown, request: operation.request }
    : { ...shown, tool: operation.tool };
}

export function invocationUsageView(
  { toolId, capability }: Pick<Invocation, "toolId" | "capability">,
  { cost, durationMs }: InvocationResult,
): InvocationUsageResponse {
  return { toolId, capability, cost, duration: formatDuration(durationMs) };
}
