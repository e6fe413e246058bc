import type { Schemas } from "../api/client.ts";
import { splitList } from "./credential-input.ts";
import { CATEGORIES, type ToolCategory } from "./filters.ts";

type ImportBody = Schemas["ImportToolBody"];
export type ImportSourceKind = "openapi" | "file" | "mcp";

export const SOURCE_KINDS = [
  "openapi",
  "file",
  "mcp",
] as const satisfies readonly ImportSourceKind[];

/** What is typed into the import wizard. Empty fields keep the setting of an earlier import, or its default. */
export interface ImportDraft {
  readonly kind: ImportSourceKind;
  readonly id: string;
  readonly url: string;
  /** The text of an OpenAPI document: JSON or YAML. */
  readonly document: string;
  readonly baseUrl: string;
  /** An API key with which an MCP server lists its tools. */
  readonly apiKey: string;
  readonly tags: string;
  readonly names: string;
  readonly everything: boolean;
  readonly category: ToolCategory | "";
}

export const EMPTY_IMPORT: ImportDraft = {
  kind: "openapi",
  id: "",
  url: "",
  document: "",
  baseUrl: "",
  apiKey: "",
  tags: "",
  names: "",
  everything: false,
  category: "",
};

/** The source to import again, as the URL states it. */
interface ImportTarget {
  readonly id?: string;
  readonly from?: ImportSourceKind;
  readonly url?: string;
}

/** Reads what to import from a URL. Parameters that are unknown or invalid are ignored. */
export function readImportTarget(search: Record<string, unknown>): ImportTarget {
  const { id, url } = search;
  const from = SOURCE_KINDS.find((one) => one === search["from"]);
  return {
    ...(typeof id === "string" && id !== "" && { id }),
    ...(from && { from }),
    ...(typeof url === "string" && url !== "" && { url }),
  };
}

/** The request for what is typed into the wizard. */
export function importBodyOf(draft: ImportDraft): Omit<ImportBody, "dryRun"> {
  const { kind, id, url, document, baseUrl, apiKey, everything, category } = draft;
  const tags = [...splitList(draft.tags)];
  const names = [...splitList(draft.names)];
  const base = baseUrl.trim() === "" ? {} : { baseUrl: baseUrl.trim() };
  const source =
    kind === "mcp"
      ? { mcp: { url: url.trim() } }
      : { openapi: { ...(kind === "file" ? { document } : { url: url.trim() }), ...base } };
  const selection = {
    ...(tags.length > 0 && kind !== "mcp" && { tags }),
    ...(names.length > 0 && { names }),
  };
  return {
    id: id.trim(),
    ...source,
    ...(kind === "mcp" &&
      apiKey !== "" && { credentials: { type: "api-key" as const, value: apiKey } }),
    ...(everything
      ? { only: "all" as const }
      : Object.keys(selection).length > 0 && { only: selection }),
    ...(category !== "" && { category }),
  };
}

export function categoryOf(text: string): ToolCategory | "" {
  return CATEGORIES.find((one) => one === text) ?? "";
}

const GENERIC_LABELS = new Set(["api", "www", "mcp", "docs", "developer", "developers"]);

/** An id for a tool at this address: "github" for https://api.github.com/openapi.json. Empty if there is no good one. */
export function suggestId(url: string): string {
  if (!URL.canParse(url)) return "";
  const labels = new URL(url).hostname.split(".");
  const chosen = labels.slice(0, -1).find((label) => !GENERIC_LABELS.has(label)) ?? "";
  return /^[a-z][a-z0-9-]*$/.test(chosen) ? chosen : "";
}
