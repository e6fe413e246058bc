import type { Capability } from "./capability.ts";
import type { Connector, CapabilityOperation } from "./connector.ts";

/** The six categories of the catalogue, in the order in which lists show them. */
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

/** How the tool itself authenticates to the system behind it. */
export interface ToolAuthentication {
  readonly type: "none" | "oauth" | "api-key";
  readonly scopes: readonly string[];
}

/** Windows a rate limit can count over. */
export const RATE_PERIODS = ["second", "minute", "hour", "day"] as const;
export type RatePeriod = (typeof RATE_PERIODS)[number];

/** At most `requests` calls in each `period`, counted exactly and for all agents together. */
export interface RateLimit {
  readonly requests: number;
  readonly period: RatePeriod;
}

/** `free` calls in each calendar month (UTC), then `overage` US dollars a call. */
export interface Pricing {
  readonly model: "usage";
  readonly free: number;
  readonly overage: number;
}

/** What a tool is registered with when nothing else is said: room for most, and free. */
export const DEFAULT_TOOL_TERMS = {
  category: "integration",
  rateLimit: { requests: 1_000, period: "hour" },
  pricing: { model: "usage", free: 0, overage: 0 },
} as const satisfies Pick<ToolDefinition, "category" | "rateLimit" | "pricing">;

/** What a tool was imported from; a second import of the same source brings it up to date. */
export interface ImportSource {
  readonly type: "openapi" | "mcp";
  /** Null for a document that came in the request itself. */
  readonly url: string | null;
  /** The part that was taken of it; absent for the whole. */
  readonly only?: ImportSelection | undefined;
  /** Where the API is, when not where its document says. */
  readonly baseUrl?: string | undefined;
}

/** Operations with any of the tags, or any of the names. */
export interface ImportSelection {
  readonly tags?: readonly string[] | undefined;
  readonly names?: readonly string[] | undefined;
}

/** A tool as the catalogue defines it; who may use it is told by grants. */
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

/** A capability with what carries it out. */
export interface StoredCapability extends Capability {
  readonly operation: CapabilityOperation | null;
}

/** A tool as the catalogue keeps it, without its capabilities. `version` rises with each change. */
export interface RegisteredTool extends Omit<ToolDefinition, "capabilities"> {
  readonly connector: Connector;
  readonly source: ImportSource | null;
  readonly version: number;
  /** The key that registered it; null for seeded tools and tools from earlier releases. */
  readonly createdBy: string | null;
}

/** Words that stand in the place of a tool's id in the API's paths. */
export const RESERVED_TOOL_IDS: readonly string[] = ["access", "import"];

/**
 * A tool's documentation URL for keys that do not manage tools; empty if it would reveal a host of the
 * system behind the tool. `requestBaseUrls`: the base URLs of its capabilities' requests.
 */
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

/** Where a tool's requests go: its connector's address, and those of single requests. */
export function listToolUrls(
  connector: Connector,
  capabilities: readonly { readonly operation: CapabilityOperation | null }[],
): string[] {
  const others = capabilities.flatMap(({ operation }) =>
    operation?.type === "http" ? (operation.request.baseUrl ?? []) : [],
  );
  switch (connector.type) {
    case "builtin":
      return others;
    case "http":
      return [connector.baseUrl, ...others];
    case "mcp":
      return [connector.url, ...others];
  }
}
