import { database, type Database } from "../../db/client.ts";
import type { Connector } from "../../domain/connector.ts";
import { preconditionFailure, type IfMatch } from "../../domain/entity-tag.ts";
import { invalid, type Failure } from "../../domain/failure.ts";
import { fail, ok, type Result } from "../../domain/result.ts";
import { below, type Problem } from "../../domain/problem.ts";
import type { RegisteredTool, StoredCapability } from "../../domain/tool.ts";
import {
  isChange,
  toolChanges,
  type ToolChanges,
  type WholeTool,
} from "../../domain/tool-changes.ts";
import type { Egress } from "../../egress/contract.ts";
import { egressOf } from "../../egress/egress.ts";
import { validate } from "../../http/validate.ts";
import { capabilityProblems } from "./definition.ts";
import { connector as connectorBody, type ConnectorChange } from "./connector-wire.ts";
import type { ChangeBody, RegisterBody } from "./wire.ts";
import { addressProblems, type Address } from "../addresses.ts";
import { putUp, retire, standing, takeDown } from "./shelf.ts";

export type ManageEnv = Pick<Env, "DB" | "ALLOW_PRIVATE_EGRESS" | "DNS_RESOLVER_URL">;

/** Puts a new tool into the catalogue, at version 1. */
export async function registerTool(
  env: ManageEnv,
  body: RegisterBody,
  createdBy: string,
): Promise<Result<WholeTool, Failure>> {
  const { capabilities, ...terms } = body;
  const whole: WholeTool = {
    tool: { ...terms, source: null, version: 1, createdBy },
    capabilities: capabilities.map(stored),
  };
  const problems = await toolProblems(egressOf(env), whole);
  if (problems.length > 0) return fail({ kind: "validation", problems });
  const db = database(env.DB);
  if (await putUp(db, whole, toolChanges(null, whole), { versionBefore: 0, by: createdBy }))
    return ok(whole);
  const { retired } = await standing(db, body.id);
  return fail({ kind: "tool_exists", toolId: body.id, retired });
}

/** Changes a tool of a wanted version and raises it; one that is changed into itself stays as it is. */
export async function changeTool(
  env: ManageEnv,
  id: string,
  body: ChangeBody,
  ifMatch: IfMatch,
  by: string,
): Promise<Result<Partial<ToolChanges>, Failure>> {
  const db = database(env.DB);
  return settled(db, id, async (tool) => {
    const unmet = preconditionFailure(ifMatch, "tool", tool.version);
    if (unmet !== null) return fail(unmet);
    const { capabilities, connector: change, ...terms } = body;
    const connector = changedConnector(tool.connector, change);
    if (!connector.ok) return connector;
    if (connector.value.type !== tool.connector.type && capabilities === undefined) {
      const message = `are required: those of an ${tool.connector.type} tool do not fit an ${connector.value.type} one`;
      return fail(invalid("capabilities", message));
    }
    // Capabilities that nobody touches are neither read nor judged: an import may hold thousands.
    const list = capabilities?.map(stored) ?? [];
    const after = { tool: changedTool(tool, terms, connector.value), capabilities: list };
    const isMoved = change !== undefined;
    const problems =
      isMoved || capabilities !== undefined ? await toolProblems(egressOf(env), after) : [];
    if (problems.length > 0) return fail({ kind: "validation", problems });
    const whole = capabilities === undefined ? null : (await takeDown(db, id)).whole;
    const changes = toolChanges(whole ?? { tool, capabilities: [] }, after);
    const { fields, newOrigins } = changes;
    const told = capabilities === undefined ? { fields, newOrigins } : changes;
    if (!isChange(changes)) return ok(told);
    const judged = { versionBefore: tool.version, by };
    return ok((await putUp(db, after, changes, judged)) ? told : null);
  });
}

/** Takes a tool out of the catalogue; its usage, its grants and its id stay. */
export async function retireTool(env: ManageEnv, id: string): Promise<Result<true, Failure>> {
  const db = database(env.DB);
  return settled(db, id, async (tool) =>
    ok((await retire(db, tool, Date.now())) ? (true as const) : null),
  );
}

/** Does `change` to a tool that people manage, again where somebody else's change came between. */
async function settled<Value>(
  db: Database,
  id: string,
  change: (tool: RegisteredTool) => Promise<Result<Value | null, Failure>>,
): Promise<Result<Value, Failure>> {
  for (let round = 0; round < ROUNDS_MAX; round += 1) {
    // oxlint-disable-next-line no-await-in-loop -- each round reads what the last one lost against
    const { tool } = await standing(db, id);
    if (tool === null) return fail({ kind: "not_found", what: "tool", id });
    if (tool.connector.type === "builtin") return fail({ kind: "tool_built_in", toolId: id });
    // oxlint-disable-next-line no-await-in-loop -- as above
    const changed = await change(tool);
    if (!changed.ok) return changed;
    if (changed.value !== null) return ok(changed.value);
  }
  return fail({ kind: "unavailable", what: `The tool ${id}, which others are changing,` });
}

const ROUNDS_MAX = 5;

/** The connector with what is given of it; one of another type is made of that alone. */
function changedConnector(
  before: Connector,
  change: ConnectorChange | undefined,
): Result<Connector, Failure> {
  if (change === undefined) return ok(before);
  const isSame = change.type === undefined || change.type === before.type;
  const checked = validate(connectorBody, { ...(isSame ? before : {}), ...given(change) });
  if (checked.ok) return checked;
  return fail({ kind: "validation", problems: below("connector", checked.failure) });
}

function changedTool(
  before: RegisteredTool,
  terms: Omit<ChangeBody, "capabilities" | "connector">,
  connector: Connector,
): RegisteredTool {
  return {
    ...before,
    name: terms.name ?? before.name,
    description: terms.description ?? before.description,
    documentation: terms.documentation ?? before.documentation,
    authentication: terms.authentication ?? before.authentication,
    category: terms.category ?? before.category,
    rateLimit: terms.rateLimit ?? before.rateLimit,
    pricing: terms.pricing ?? before.pricing,
    connector,
    version: before.version + 1,
  };
}

function given(fields: object): object {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}

type GivenCapability = RegisterBody["capabilities"][number];

function stored({ request, tool, name, ...capability }: GivenCapability): StoredCapability {
  const named = { ...capability, name: name ?? capability.id };
  if (request !== undefined) return { ...named, operation: { type: "http", request } };
  if (tool !== undefined) return { ...named, operation: { type: "mcp", tool } };
  throw new Error("The body's schema asks for one of them");
}

/** What is wrong with a tool as a whole: addresses, and capabilities that do not fit its connector. */
async function toolProblems(egress: Egress, whole: WholeTool): Promise<Problem[]> {
  const { connector } = whole.tool;
  const strangers = whole.capabilities.flatMap(({ operation }, index) =>
    operation?.type === connector.type
      ? []
      : [{ path: `capabilities[${index}]`, message: belongs(connector) }],
  );
  const addresses = await addressProblems(egress, addressesOf(whole));
  return [...strangers, ...addresses, ...(await capabilityProblems(whole.capabilities))];
}

function belongs(connector: Connector): string {
  return connector.type === "mcp"
    ? "must have `tool`, the name of a tool of the MCP server"
    : "must have `request`, as the tool works by HTTP";
}

function addressesOf({ tool, capabilities }: WholeTool): Address[] {
  const { connector } = tool;
  const others = capabilities.flatMap(({ operation }, index) =>
    operation?.type === "http" && operation.request.baseUrl !== undefined
      ? [{ path: `capabilities[${index}].request.baseUrl`, url: operation.request.baseUrl }]
      : [],
  );
  switch (connector.type) {
    case "builtin":
      return others;
    case "http":
      return [{ path: "connector.baseUrl", url: connector.baseUrl }, ...others];
    case "mcp":
      return [{ path: "connector.url", url: connector.url }, ...others];
  }
}
