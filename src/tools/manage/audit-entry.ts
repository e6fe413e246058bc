import type { AuditEntry } from "../../governance/model/audit-entry.ts";
import type { RegisteredTool } from "../model/tool.ts";
import type { ToolChanges } from "../model/tool-changes.ts";

/**
 * The entry of the audit log for a tool that is registered or changed. Capabilities are listed by id. `credentialType` is
 * the type of a credential that is set with the tool.
 */
export function toolEntry(
  action: "tool.created" | "tool.changed" | "tool.imported",
  before: RegisteredTool | null,
  after: RegisteredTool,
  changes: ToolChanges,
  credentialType?: string,
): AuditEntry {
  const { added, changed, moved, removed, newOrigins } = changes;
  const lists = Object.entries({ added, changed, moved, removed });
  const capabilities = Object.fromEntries(lists.filter(([, ids]) => ids.length > 0));
  return {
    action,
    subjectId: after.id,
    before: before && toolState(before),
    after: {
      ...toolState(after),
      ...(Object.keys(capabilities).length > 0 && { capabilities }),
      ...(before !== null && newOrigins.length > 0 && { newOrigins }),
      credentialType,
    },
  };
}

/** A tool's state in the audit log. */
export function toolState({ id: _id, ...tool }: RegisteredTool): Omit<RegisteredTool, "id"> {
  return tool;
}
