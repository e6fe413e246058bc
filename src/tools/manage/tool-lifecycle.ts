import { getDatabase, type Database } from "../../platform/d1/client.ts";
import type { Connector } from "../model/connector.ts";
import { checkPrecondition, type IfMatch } from "../../kernel/entity-tag.ts";
import { createConflictFailure, createFieldFailure, type Failure } from "../../kernel/failure.ts";
import { fail, ok, type Result, prefixProblems, type Problem } from "../../kernel/result.ts";
import { listToolAddresses, type RegisteredTool, type StoredCapability } from "../model/tool.ts";
import {
  hasChanges,
  diffTools,
  isRedirected,
  type ToolChanges,
  type ToolWithCapabilities,
} from "../model/tool-changes.ts";
import type { Egress } from "../../platform/egress/contract.ts";
import { createEgress, type EgressEnv } from "../../platform/egress/egress.ts";
import { omitUndefined } from "../../kernel/json.ts";
import { audited, type AuditEnv } from "../../governance/audit/audited.ts";
import type { Actor } from "../../governance/model/audit-entry.ts";
import { toolEntry, toolState } from "./audit-entry.ts";
import { validateSchema } from "../../http/validation.ts";
import { connectorBody, type ConnectorChange } from "../connectors/schemas.ts";
import type { ChangeToolBody, RegisterToolBody } from "../tool-schemas.ts";
import { checkAddresses } from "../connectors/tool-addresses.ts";
import { saveTool, retireToolRow, findTool, isRetired, loadTool } from "../tools.store.ts";

type ManageEnv = EgressEnv & AuditEnv;

/** Registers a new tool at version 1. */
export async function registerTool(
  env: ManageEnv,
  body: RegisterToolBody,
  by: Actor,
): Promise<Result<ToolWithCapabilities, Failure>> {
  const { capabilities, ...terms } = body;
  const definition: ToolWithCapabilities = {
    tool: { ...terms, source: null, version: 1, createdBy: by.keyId },
    capabilities: capabilities.map(buildCapability),
  };
  const problems = await checkTool(createEgress(env), definition);
  if (problems.length > 0) return fail({ kind: "validation", problems });
  const db = getDatabase(env.DB);
  const judged = { versionBefore: 0, by: by.keyId };
  const changes = diffTools(null, definition);
  const entry = toolEntry("tool.created", null, definition.tool, changes);
  const isSaved = await audited(env, by, (record) =>
    saveTool(db, definition, changes, judged, record(entry)),
  );
  if (isSaved) return ok(definition);
  return fail({ kind: "tool_exists", toolId: body.id, retired: await isRetired(db, body.id) });
}

/** Changes a tool and increases its version. If nothing changes, the version stays the same. */
export async function changeTool(
  env: ManageEnv,
  id: string,
  body: ChangeToolBody,
  ifMatch: IfMatch,
  by: Actor,
): Promise<Result<ToolChanges | Pick<ToolChanges, "fields" | "newOrigins">, Failure>> {
  const db = getDatabase(env.DB);
  return retryOnConflict(db, id, async (tool) => {
    const unmet = checkPrecondition(ifMatch, "tool", tool.version);
    if (unmet !== null) return fail(unmet);
    const { capabilities, connector: change, ...terms } = body;
    const connector = applyConnectorChange(tool.connector, change);
    if (!connector.ok) return connector;
    if (connector.value.type !== tool.connector.type && capabilities === undefined) {
      const message = `are required, because the connector type changes from ${tool.connector.type} to ${connector.value.type}`;
      return fail(createFieldFailure("capabilities", message));
    }
    // Unchanged capabilities are not loaded, because an imported tool can have thousands.
    const list = capabilities?.map(buildCapability) ?? [];
    const changed = { ...tool, ...omitUndefined(terms), connector: connector.value };
    const after = { tool: { ...changed, version: tool.version + 1 }, capabilities: list };
    const isChecked = change !== undefined || capabilities !== undefined;
    const problems = isChecked ? await checkTool(createEgress(env), after) : [];
    if (problems.length > 0) return fail({ kind: "validation", problems });
    const definition = capabilities === undefined ? null : (await loadTool(db, id)).definition;
    const changes = diffTools(definition ?? { tool, capabilities: [] }, after);
    const { fields, newOrigins } = changes;
    const reported = capabilities === undefined ? { fields, newOrigins } : changes;
    if (!hasChanges(changes)) return ok(reported);
    const judged = { versionBefore: tool.version, by: by.keyId };
    const { createdBy } = tool;
    const owned = { ...after.tool, createdBy: isRedirected(changes) ? by.keyId : createdBy };
    const entry = toolEntry("tool.changed", tool, owned, changes);
    const isSaved = await audited(env, by, (record) =>
      saveTool(db, after, changes, judged, record(entry)),
    );
    return ok(isSaved ? reported : null);
  });
}

/** Retires a tool. Its usage and grants are kept, and its id stays reserved. */
export async function retireTool(
  env: ManageEnv,
  id: string,
  by: Actor,
): Promise<Result<true, Failure>> {
  const db = getDatabase(env.DB);
  return retryOnConflict(db, id, async (tool) => {
    const entry = { action: "tool.retired", subjectId: id, before: toolState(tool) } as const;
    const isDone = await audited(env, by, (record) =>
      retireToolRow(db, tool, Date.now(), record(entry)),
    );
    return ok(isDone ? (true as const) : null);
  });
}

/** Applies `change` to a tool that is not built in, and retries if a concurrent change conflicts. */
async function retryOnConflict<Value>(
  db: Database,
  id: string,
  change: (tool: RegisteredTool) => Promise<Result<Value | null, Failure>>,
): Promise<Result<Value, Failure>> {
  for (let round = 0; round < CONFLICT_RETRIES_MAX; round += 1) {
    const tool = await findTool(db, id);
    if (tool === null) return fail({ kind: "not_found", what: "tool", id });
    if (tool.connector.type === "builtin") return fail({ kind: "tool_built_in", toolId: id });
    const changed = await change(tool);
    if (!changed.ok) return changed;
    if (changed.value !== null) return ok(changed.value);
  }
  return fail(createConflictFailure(`The tool ${id}`));
}

const CONFLICT_RETRIES_MAX = 5;

/** Merges a change into the connector. A new type replaces the whole connector. */
function applyConnectorChange(
  before: Connector,
  change: ConnectorChange | undefined,
): Result<Connector, Failure> {
  if (change === undefined) return ok(before);
  const isSame = change.type === undefined || change.type === before.type;
  const checked = validateSchema(connectorBody, {
    ...(isSame ? before : {}),
    ...omitUndefined(change),
  });
  if (checked.ok) return checked;
  return fail({ kind: "validation", problems: prefixProblems("connector", checked.failure) });
}

type CapabilityBody = RegisterToolBody["capabilities"][number];

function buildCapability({ request, tool, name, ...capability }: CapabilityBody): StoredCapability {
  const named = { ...capability, name: name ?? capability.id };
  if (request !== undefined) return { ...named, operation: { type: "http", request } };
  if (tool !== undefined) return { ...named, operation: { type: "mcp", tool } };
  throw new Error("The body schema requires `request` or `tool`");
}

/**
 * Finds the problems with a tool: rejected addresses, invalid capabilities, and capabilities that do not match its
 * connector.
 */
async function checkTool(egress: Egress, definition: ToolWithCapabilities): Promise<Problem[]> {
  const { connector } = definition.tool;
  const message =
    connector.type === "mcp"
      ? "must have `tool`, the name of a tool on the MCP server"
      : "must have `request`, the capability's HTTP request";
  const mismatched = definition.capabilities.flatMap(({ operation }, index) =>
    operation?.type === connector.type ? [] : [{ path: `capabilities[${index}]`, message }],
  );
  const addresses = listToolAddresses(connector, definition.capabilities);
  const rejected = await checkAddresses(egress, addresses);
  // The JSON Schema and JSONPath checkers are large, so load them only when a tool is checked.
  const { checkCapabilities } = await import("./validate-definition.ts");
  return [...mismatched, ...rejected, ...checkCapabilities(definition.capabilities)];
}
