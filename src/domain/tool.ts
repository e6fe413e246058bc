import type { Capability } from "./capability.ts";

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
export interface Authentication {
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

/** What a tool was imported from; a second import of the same source brings it up to date. */
export interface ImportSource {
  readonly type: "openapi" | "mcp";
  /** Null for a document that came in the request itself. */
  readonly url: string | null;
}

/** A tool as the catalogue defines it; who may use it is told by grants. */
export interface ToolDefinition {
  readonly id: string;
  readonly name: string;
  readonly category: Category;
  readonly description: string;
  readonly documentation: string;
  readonly authentication: Authentication;
  readonly rateLimit: RateLimit;
  readonly pricing: Pricing;
  readonly capabilities: readonly Capability[];
}
