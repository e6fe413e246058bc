import type { Capability } from "./capability.ts";
import type { Connector, CapabilityOperation } from "./connector.ts";

/** The six categories of the catalogue, in display order. */
export const CATEGORIES = [
  "development",
  "data",
  "communication",
  "research",
  "creative",
  "integration",
] as const;
export type Category = (typeof CATEGORIES)[number];

export const PROFICIENCIES = ["beginner", "intermediate", "advanced", "expert"] as const;
export type Proficiency = (typeof PROFICIENCIES)[number];

export interface ToolAuthentication {
  readonly type: "none" | "oauth" | "api-key";
  readonly scopes: readonly string[];
}

export const RATE_PERIODS = ["second", "minute", "hour", "day"] as const;
export type RatePeriod = (typeof RATE_PERIODS)[number];

/** At most `requests` calls in each `period`, counted exactly, for all agents together. */
export interface RateLimit {
  readonly requests: number;
  readonly period: RatePeriod;
}

/** `free` calls in each calendar month (UTC), then `overage` US dollars per call. */
export interface Pricing {
  readonly model: "usage";
  readonly free: number;
  readonly overage: number;
}

/** The default settings of a tool: a high rate limit and no cost. */
export const DEFAULT_TOOL_TERMS = {
  category: "integration",
  rateLimit: { requests: 1_000, period: "hour" },
  pricing: { model: "usage", free: 0, overage: 0 },
} as const satisfies Pick<ToolDefinition, "category" | "rateLimit" | "pricing">;

/** Where a tool was imported from. Importing the same source again updates the tool. */
export interface ImportSource {
  readonly type: "openapi" | "mcp";
  /** Null if the document was part of the request. */
  readonly url: string | null;
  /** The part that was imported; absent if everything was. */
  readonly only?: ImportSelection | undefined;
  /** The API's base URL, if it differs from the document's. */
  readonly baseUrl?: string | undefined;
}

/** Selects operations with any of the tags or names. */
export interface ImportSelection {
  readonly tags?: readonly string[] | undefined;
  readonly names?: readonly string[] | undefined;
}

/** A tool with its capabilities. Grants define who may use it. */
export interface ToolDefinition {
  readonly id: string;
  readonly name: string;
  readonly category: Category;
  readonly description: string;
  readonly documentation: string;
  readonly authentication: ToolAuthentication;
  readonly rateLimit: RateLimit;
  readonly pricing: Pricing;
  readonly capabilities: readonly Capability[];
}

export interface StoredCapability extends Capability {
  /** Null for a built-in tool. */
  readonly operation: CapabilityOperation | null;
}

/** A capability's position in the catalogue: its tool's `seq`, and its position within the tool. */
export interface CataloguePosition {
  readonly seq: number;
  readonly position: number;
}

/** A capability that an agent may use, with the fields of its tool that callers need. */
export interface GrantedCapability extends StoredCapability {
  readonly toolId: string;
  readonly toolName: string;
  readonly connector: Connector["type"];
}

/** A registered tool without its capabilities. `version` increases with each change. */
export interface RegisteredTool extends Omit<ToolDefinition, "capabilities"> {
  readonly connector: Connector;
  readonly source: ImportSource | null;
  readonly version: number;
  /** The id of the key that owns the tool (see `saveTool`); null for seeded tools and tools from earlier releases. */
  readonly createdBy: string | null;
}

/** Words that appear in API paths in place of a tool id. */
export const RESERVED_TOOL_IDS: readonly string[] = ["access", "import"];

/** The documentation URL for keys without `tools:manage`; empty if it would reveal a host behind the tool. */
export function toPublicDocumentation({
  documentation,
  connector,
  source,
  requestBaseUrls,
}: Pick<RegisteredTool, "documentation" | "connector" | "source"> & {
  readonly requestBaseUrls: readonly string[];
}): string {
  const host = URL.parse(documentation)?.hostname;
  const own = [...listToolUrls(connector, []), ...requestBaseUrls, source?.url ?? ""];
  return own.some((url) => URL.parse(url)?.hostname === host) ? "" : documentation;
}

/** An address that a tool uses, and the field that contains it. */
export interface ToolAddress {
  readonly path: string;
  readonly url: string;
}

type WithOperation = Pick<StoredCapability, "operation">;

/** Where a tool sends requests: its connector's address, and those of individual requests. */
export function listToolAddresses(
  connector: Connector,
  capabilities: readonly WithOperation[],
): ToolAddress[] {
  const others = capabilities.flatMap(({ operation }, index) =>
    operation?.type === "http" && operation.request.baseUrl !== undefined
      ? [{ path: `capabilities[${index}].request.baseUrl`, url: operation.request.baseUrl }]
      : [],
  );
  if (connector.type === "builtin") return others;
  const field = connector.type === "http" ? "baseUrl" : "url";
  const url = connector.type === "http" ? connector.baseUrl : connector.url;
  return [{ path: `connector.${field}`, url }, ...others];
}

export function listToolUrls(
  connector: Connector,
  capabilities: readonly WithOperation[],
): string[] {
  return listToolAddresses(connector, capabilities).map(({ url }) => url);
}
