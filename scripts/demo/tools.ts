import { startExample } from "../local.ts";
import { call } from "./client.ts";

export const TITLE = "Bosun imports an HTTP API and an MCP server as tools.";

const AGENT = "harbour-master";
const SHOWN_CHARACTERS_MAX = 100;

interface Imported {
  readonly changes: { readonly added: readonly string[] };
  readonly notes: readonly string[];
  readonly tool: { readonly name: string; readonly totalCapabilities: number };
}

interface Invoked {
  readonly result: object;
  readonly usage: { readonly cost: number; readonly duration: string };
}

interface Usage {
  readonly total: { readonly calls: number; readonly failed: number; readonly cost: number };
}

/** Imports an OpenAPI document and an MCP server, calls two operations of each and shows their usage. */
export async function demo(origin: string): Promise<number> {
  const harbour = await startExample("harbour");
  const everything = await startExample("everything");
  try {
    const pricing = { free: 1, overage: 0.01 };
    await importing(origin, "An OpenAPI document", {
      id: "harbour",
      openapi: { url: `${harbour.origin}/openapi.json` },
      pricing,
    });
    const today = new Date().toISOString().slice(0, 10);
    await invoking(origin, "harbour", "getTides", { harbour: "sandvik", date: today });
    await invoking(origin, "harbour", "listBerths", { free: true, harbour: ["kelp-bay"] });

    await importing(origin, "An MCP server", {
      id: "everything",
      mcp: { url: `${everything.origin}/mcp` },
    });
    await invoking(origin, "everything", "get-sum", { a: 19, b: 23 });
    await invoking(origin, "everything", "get-structured-content", { location: "New York" });

    console.log("\nUsage today");
    for (const toolId of ["harbour", "everything"]) await showUsage(origin, toolId);
    return 0;
  } finally {
    await Promise.all([harbour.stop(), everything.stop()]);
  }
}

async function importing(
  origin: string,
  what: string,
  body: Readonly<{ id: string }> & Readonly<Record<string, unknown>>,
): Promise<void> {
  const { tool, changes, notes } = await call<Imported>(
    origin,
    "POST",
    "/agents/tools/import",
    body,
  );
  console.log(`\n${what} was imported as the tool "${body.id}" (${tool.name})`);
  console.log(`  ${tool.totalCapabilities} capabilities: ${cut(changes.added.join(", "))}`);
  for (const note of notes) console.log(`  note: ${note}`);
  const grant = { agentId: AGENT, toolId: body.id };
  await call(origin, "POST", "/agents/tools/access", grant);
}

async function invoking(
  origin: string,
  toolId: string,
  capability: string,
  parameters: object,
): Promise<void> {
  const body = { capability, parameters, agentId: AGENT };
  const { result, usage } = await call<Invoked>(
    origin,
    "POST",
    `/agents/tools/${toolId}/invoke`,
    body,
  );
  console.log(`  ${capability} ${JSON.stringify(parameters)}`);
  console.log(`    → ${cut(JSON.stringify(result))}`);
  console.log(`    $${usage.cost}, ${usage.duration}`);
}

async function showUsage(origin: string, toolId: string): Promise<void> {
  const { total } = await call<Usage>(origin, "GET", `/agents/tools/${toolId}/usage?days=1`);
  console.log(`  ${toolId}: ${total.calls} calls, ${total.failed} failed, $${total.cost}`);
}

function cut(text: string): string {
  return text.length > SHOWN_CHARACTERS_MAX ? `${text.slice(0, SHOWN_CHARACTERS_MAX)}…` : text;
}
