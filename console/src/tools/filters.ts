import type { Schemas } from "../api/client.ts";

export type ToolCategory = Schemas["ToolCategory"];

export const CATEGORIES = [
  "development",
  "data",
  "communication",
  "research",
  "creative",
  "integration",
] as const satisfies readonly ToolCategory[];

/** The filters of the catalogue, as the URL states them. */
export interface ToolFilters {
  readonly search?: string;
  readonly category?: ToolCategory;
}

const TOOL_TABS = ["capabilities", "try", "usage", "credentials", "settings"] as const;
export type ToolTab = (typeof TOOL_TABS)[number];

/** What the page of a tool shows, as the URL states it. */
interface ToolPageState {
  readonly tab?: ToolTab;
  /** The capability to try. */
  readonly capability?: string;
  /** The text that the listed capabilities contain. */
  readonly search?: string;
  readonly days?: UsageDays;
}

export const USAGE_DAYS = [7, 30, 90, 365] as const;
type UsageDays = (typeof USAGE_DAYS)[number];

/** The API accepts at most this many characters. */
const SEARCH_MAX = 200;

/** Reads the filters of a URL. Parameters that are unknown or invalid are ignored. */
export function readToolFilters(search: Record<string, unknown>): ToolFilters {
  const category = CATEGORIES.find((one) => one === search["category"]);
  const text = readText(search["search"]);
  return { ...(text && { search: text }), ...(category && { category }) };
}

/** Reads the state of a tool's page from a URL. Parameters that are unknown or invalid are ignored. */
export function readToolPageState(search: Record<string, unknown>): ToolPageState {
  const tab = TOOL_TABS.find((one) => one === search["tab"]);
  const capability = readText(search["capability"]);
  const text = readText(search["search"]);
  const days = USAGE_DAYS.find((one) => one === search["days"]);
  return {
    ...(tab && { tab }),
    ...(capability && { capability }),
    ...(text && { search: text }),
    ...(days && { days }),
  };
}

/** A URL parameter that looks like a number arrives as one. */
function readText(value: unknown): string | undefined {
  const text = typeof value === "number" ? String(value) : value;
  return typeof text === "string" && text.trim() !== "" ? text.slice(0, SEARCH_MAX) : undefined;
}
