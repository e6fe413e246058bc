import { OAuth2Server } from "oauth2-mock-server";
import { WORKER_AGENT } from "./agents.ts";
import type { Recorder } from "./recorder.ts";

const API_KEY = "harbour-key";
const CSV_ROWS = 9_000;

/** Imports the harbour API, and registers, changes and retires a tool that uses it. */
export async function recordTools(recorder: Recorder, harbour: string): Promise<void> {
  const imported = {
    body: {
      id: "harbour",
      category: "data",
      openapi: { url: `${harbour}/openapi.json` },
      only: { names: ["getTides", "bookBerth"] },
    },
  };
  await recorder.record("importTool", imported);
  await recorder.record("importTool", imported);
  await recorder.record("importTool", { ...imported, headers: { Accept: "text/event-stream" } });
  await recorder.record("getTool", { parameters: { id: "harbour" } });
  await recorder.record("listCapabilities", {
    parameters: { id: "harbour", search: "berth", limit: 1, offset: 0 },
  });
  await recorder.record("getCapability", {
    parameters: { id: "harbour", capability: "getTides" },
  });
  await recorder.record("registerTool", {
    body: {
      id: "tides",
      name: "Tides",
      category: "data",
      connector: { type: "http", baseUrl: harbour },
      rateLimit: { requests: 60, period: "minute" },
      pricing: { free: 100, overage: 0.01 },
      capabilities: [
        {
          id: "turns",
          parameters: [
            { name: "harbour", type: "string", required: true },
            {
              name: "day",
              type: "string",
              required: true,
              schema: { type: "string", format: "date" },
            },
          ],
          request: {
            method: "GET",
            path: "/harbours/{harbour}/tides",
            query: { date: { parameter: "day" } },
            result: "$.tides[*].at",
          },
        },
      ],
    },
  });
  await recorder.record("updateTool", {
    parameters: { id: "tides" },
    body: {
      description: "Times of high and low water.",
      pricing: { free: 500, overage: 0.01 },
    },
  });
  await recorder.record("retireTool", { parameters: { id: "tides" } });
  await recorder.record("listTools", {
    parameters: {
      category: "integration",
      agentId: "data-analyst",
      search: "CSV",
      limit: 20,
      offset: 0,
    },
  });
}

/** Grants tools to agents, calls them and reads their usage. */
export async function recordCalls(recorder: Recorder): Promise<void> {
  const grant = {
    body: {
      agentId: WORKER_AGENT,
      toolId: "json-workbench",
      proficiency: "advanced",
      capabilities: ["query"],
    },
  };
  await recorder.record("grantAccess", grant);
  await recorder.record("grantAccess", grant);
  await recorder.record("revokeAccess", {
    parameters: { agentId: WORKER_AGENT, toolId: "json-workbench" },
  });
  await recorder.record("getAgentAccess", { parameters: { agentId: "researcher" } });
  await recorder.record("listGrants", { parameters: { toolId: "table-analyst", limit: 2 } });
  await recorder.record("explainAccess", {
    parameters: { agentId: "researcher", toolId: "table-analyst", capability: "correlate" },
  });

  await recorder.record("invokeTool", {
    parameters: { id: "table-analyst" },
    body: {
      capability: "correlate",
      agentId: "data-analyst",
      parameters: { csv: "rain,umbrellas\n0,1\n3,8\n9,19\n4,11" },
    },
  });
  const large = await recorder.send<{ result: { downloadUrl: string } }>("invokeTool", {
    parameters: { id: "format-bridge" },
    body: {
      capability: "convert",
      parameters: { content: `a,b\n${"1,2\n".repeat(CSV_ROWS)}`, from: "csv", to: "json" },
    },
  });
  const { pathname, search } = new URL(large.result.downloadUrl);
  await recorder.record("downloadResult", {
    parameters: { id: "format-bridge", resultId: pathname.split("/").at(-1) ?? "" },
    signedQuery: search,
    key: null,
  });

  const credentials = {
    parameters: { id: "harbour" },
    body: { type: "api-key", value: API_KEY },
  };
  await recorder.record("putCredentials", credentials);
  await recorder.record("putCredentials", credentials);
  const day = new Date().toISOString().slice(0, 10);
  for (const [capability, parameters] of [
    ["getTides", { harbour: "sandvik", date: day }],
    [
      "bookBerth",
      { berth: "sandvik-2", ship: { name: "Fram", length_m: 20 }, from: day, nights: 2 },
    ],
  ]) {
    await recorder.send("invokeTool", {
      parameters: { id: "harbour" },
      body: { capability, parameters },
    });
  }
  await recorder.record("getToolUsage", { parameters: { id: "harbour", days: 7 } });
  await recorder.record("getUsage", {
    parameters: { groupBy: "day,tool", agentId: "data-analyst" },
  });
  await recorder.record("deleteCredentials", { parameters: { id: "harbour" } });
}

/** Connects a tool as a browser would. `login` is an OAuth server that grants consent immediately. */
export async function recordConsent(recorder: Recorder, login: string): Promise<void> {
  const parameters = { id: "logbook" };
  await recorder.send("registerTool", {
    body: {
      id: "logbook",
      name: "Logbook",
      authentication: { type: "oauth" },
      connector: { type: "http", baseUrl: login },
      capabilities: [{ id: "entries", request: { method: "GET", path: "/entries" } }],
    },
  });
  await recorder.send("putCredentials", {
    parameters,
    body: {
      type: "oauth-authorization-code",
      authorizationUrl: `${login}/authorize`,
      tokenUrl: `${login}/token`,
      clientId: "logbook-client",
      clientSecret: "logbook-secret",
      scopes: ["read"],
    },
  });
  const { data } = await recorder.record<{ url: string }>("connectCredentials", {
    parameters,
    body: {},
  });
  const ticket = new URL(data.url).searchParams.get("ticket") ?? "";
  const { headers: opened } = await recorder.record("openConnection", {
    parameters: { ...parameters, ticket },
    key: null,
  });
  const consent = await fetch(opened.get("Location") ?? "", { redirect: "manual" });
  const { searchParams } = new URL(consent.headers.get("Location") ?? "");
  await recorder.record("finishConnection", {
    parameters: { ...parameters, ...Object.fromEntries(searchParams) },
    headers: { Accept: "application/json", Cookie: opened.get("Set-Cookie")?.split(";")[0] ?? "" },
    key: null,
  });
  await recorder.record("getCredentials", { parameters });
}

/** Starts an OAuth server that grants consent immediately. */
export async function startLogin(): Promise<{ origin: string; stop(): Promise<void> }> {
  const server = new OAuth2Server();
  await server.issuer.keys.generate("RS256");
  await server.start(0, "127.0.0.1");
  return { origin: `http://127.0.0.1:${server.address().port}`, stop: () => server.stop() };
}
