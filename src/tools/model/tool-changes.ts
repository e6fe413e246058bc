import { isSameJson } from "../../kernel/json.ts";
import { listToolUrls, type RegisteredTool, type StoredCapability } from "./tool.ts";

export interface ToolWithCapabilities {
  readonly tool: RegisteredTool;
  readonly capabilities: readonly StoredCapability[];
}

/** What changed in a tool: field names and capability ids. */
export interface ToolChanges {
  readonly fields: readonly string[];
  readonly added: readonly string[];
  readonly changed: readonly string[];
  /** Capabilities whose only change is their position in the list. */
  readonly moved: readonly string[];
  readonly removed: readonly string[];
  readonly unchanged: number;
  /** New origins that the tool sends requests to. Its credential was not meant for them. */
  readonly newOrigins: readonly string[];
}

/** How `after` differs from `before`, which is null for a new tool. */
export function diffTools(
  before: ToolWithCapabilities | null,
  after: ToolWithCapabilities,
): ToolChanges {
  const earlier = new Map(before?.capabilities.map((one, at) => [one.id, { one, at }]));
  const ids = new Set(after.capabilities.map(({ id }) => id));
  const groups = Map.groupBy(after.capabilities, (one, at) => {
    const was = earlier.get(one.id);
    if (was === undefined) return "added";
    if (!isSameJson(was.one, one)) return "changed";
    return was.at === at ? "unchanged" : "moved";
  });
  const idsOf = (group: "added" | "changed" | "moved" | "unchanged") =>
    groups.get(group)?.map(({ id }) => id) ?? [];
  return {
    fields: before === null ? [] : listChangedFields(before.tool, after.tool),
    added: idsOf("added"),
    changed: idsOf("changed"),
    moved: idsOf("moved"),
    removed: [...earlier.keys()].filter((id) => !ids.has(id)),
    unchanged: idsOf("unchanged").length,
    newOrigins: before === null ? [] : [...listOrigins(after).difference(listOrigins(before))],
  };
}

/** The origins to which a tool sends requests. */
function listOrigins({ tool, capabilities }: ToolWithCapabilities): Set<string> {
  return new Set(listToolUrls(tool.connector, capabilities).map((url) => new URL(url).origin));
}

export function hasChanges({ fields, added, changed, moved, removed }: ToolChanges): boolean {
  return [fields, added, changed, moved, removed].some((list) => list.length > 0);
}

/** Whether a change may send a tool's requests or credentials to another system. */
export function isRedirected({ fields, newOrigins }: ToolChanges): boolean {
  return fields.includes("connector") || newOrigins.length > 0;
}

function listChangedFields(before: RegisteredTool, after: RegisteredTool): string[] {
  const { version: _before, ...was } = before;
  const { version: _after, ...is } = after;
  const earlier = new Map<string, unknown>(Object.entries(was));
  return Object.entries(is).flatMap(([name, value]) =>
    isSameJson(earlier.get(name), value) ? [] : [name],
  );
}
