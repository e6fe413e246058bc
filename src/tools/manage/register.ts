import { database } from "../../db/client.ts";
import type { Connector } from "../../domain/connector.ts";
import type { Failure } from "../../domain/failure.ts";
import { fail, ok, type Result } from "../../domain/result.ts";
import type { Problem } from "../../domain/problem.ts";
import type { StoredCapability } from "../../domain/tool.ts";
import { isChange, toolChanges, type WholeTool } from "../../domain/tool-changes.ts";
import type { Egress } from "../../egress/contract.ts";
import { egressOf } from "../../egress/egress.ts";
import { capabilityProblems } from "./definition.ts";
import type { ChangeBody, RegisterBody } from "./wire.ts";
import { putUp, retire, takeDown } from "./shelf.ts";

export type ManageEnv = Pick<Env, "DB" | "ALLOW_PRIVATE_EGRESS" | "DNS_RESOLVER_URL">;

/** Puts a new tool into the catalogue, at version 1. */
export async function registerTool(
  env: ManageEnv,
  body: RegisterBody,
): Promise<Result<WholeTool, Failure>> {
  const { capabilities, ...terms } = body;
  const whole: WholeTool = {
    tool: { ...terms, source: null, version: 1 },
    capabilities: capabilities.map(stored),
  };
  const problems = await toolProblems(egressOf(env), whole);
  if (problems.length > 0) return fail({ kind: "validation", problems });
  const db = database(env.DB);
  const standing = await takeDown(db, body.id);
  const isTaken = standing.retired || standing.whole !== null;
  if (isTaken || !(await putUp(db, whole, toolChanges(null, whole), 0))) {
    return fail({ kind: "tool_exists", toolId: body.id, retired: standing.retired });
  }
  return ok(whole);
}

/** Changes a tool and raises its version; one that is changed into itself stays as it is. */
export async function changeTool(
  env: ManageEnv,
  id: string,
  body: ChangeBody,
): Promise<Result<WholeTool, Failure>> {
  return settled(env, id, async (before) => {
    const { capabilities, ...terms } = body;
    const given = Object.fromEntries(
      Object.entries(terms).filter(([, value]) => value !== undefined),
    );
    const after: WholeTool = {
      tool: { ...before.tool, ...given, version: before.tool.version + 1 },
      capabilities: capabilities?.map(stored) ?? before.capabilities,
    };
    const problems = await toolProblems(egressOf(env), after);
    if (problems.length > 0) return fail({ kind: "validation", problems });
    const changes = toolChanges(before, after);
    if (!isChange(changes)) return ok(before);
    const done = await putUp(database(env.DB), after, changes, before.tool.version);
    return ok(done ? after : null);
  });
}

/** Takes a tool out of the catalogue; its usage, its grants and its id stay. */
export async function retireTool(env: ManageEnv, id: string): Promise<Result<WholeTool, Failure>> {
  return settled(env, id, async (before) => {
    const done = await retire(database(env.DB), before.tool, Date.now());
    return ok(done ? before : null);
  });
}

/** Does `change` to a tool that people manage, again where somebody else's change came between. */
async function settled(
  env: ManageEnv,
  id: string,
  change: (before: WholeTool) => Promise<Result<WholeTool | null, Failure>>,
): Promise<Result<WholeTool, Failure>> {
  for (let round = 0; round < ROUNDS_MAX; round += 1) {
    // oxlint-disable-next-line no-await-in-loop -- each round reads what the last one lost against
    const { whole } = await takeDown(database(env.DB), id);
    if (whole === null) return fail({ kind: "not_found", what: "tool", id });
    if (whole.tool.connector.type === "builtin") return fail({ kind: "tool_built_in", toolId: id });
    // oxlint-disable-next-line no-await-in-loop -- as above
    const changed = await change(whole);
    if (!changed.ok) return changed;
    if (changed.value !== null) return ok(changed.value);
  }
  return fail({ kind: "unavailable", what: `The tool ${id}, which others are changing,` });
}

const ROUNDS_MAX = 5;

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
  const addresses = await Promise.all(
    addressesOf(whole).map(async ({ path, url }) => {
      const checked = await egress.check(url);
      return checked.ok ? [] : [{ path, message: checked.failure }];
    }),
  );
  return [...strangers, ...addresses.flat(), ...(await capabilityProblems(whole.capabilities))];
}

function belongs(connector: Connector): string {
  return connector.type === "mcp"
    ? "must have `tool`, the name of a tool of the MCP server"
    : "must have `request`, as the tool works by HTTP";
}

function addressesOf({ tool, capabilities }: WholeTool): { path: string; url: string }[] {
  const { connector } = tool;
  const own =
    connector.type === "http"
      ? [{ path: "connector.baseUrl", url: connector.baseUrl }]
      : connector.type === "mcp"
        ? [{ path: "connector.url", url: connector.url }]
        : [];
  return [
    ...own,
    ...capabilities.flatMap(({ operation }, index) =>
      operation?.type === "http" && operation.request.baseUrl !== undefined
        ? [{ path: `capabilities[${index}].request.baseUrl`, url: operation.request.baseUrl }]
        : [],
    ),
  ];
}
