import { inject } from "vitest";
import { isJsonObject, type JsonObject } from "../../src/kernel/json.ts";
import { post, type Answer, type Options } from "./client.ts";

/** Returns the origin of a server from test/support/servers. */
export function originOf(name: string): string {
  const origin = inject("outside")[name];
  if (origin === undefined) throw new Error(`Unknown test server: ${name}`);
  return origin;
}

/**
 * Builds a capability that sends a GET request with these query parameters to `path` on an HTTP
 * server.
 */
export function queryCapability(id: string, path: string, ...query: readonly string[]): JsonObject {
  return {
    id,
    parameters: query.map((name) => ({ name, type: "string" })),
    request: {
      method: "GET",
      path,
      query: Object.fromEntries(query.map((name) => [name, { parameter: name }])),
    },
  };
}

/** Registers an HTTP tool with these capabilities for one of the servers. */
export async function registerHttpTool(
  server: string,
  id: string,
  capabilities: readonly JsonObject[],
  changes: JsonObject = {},
): Promise<Answer> {
  const { connector, ...others } = changes;
  const usual = { type: "http", baseUrl: originOf(server) };
  return post("/agents/tools", {
    id,
    name: `Tool ${id}`,
    connector: isJsonObject(connector) ? { ...usual, ...connector } : (connector ?? usual),
    capabilities: [...capabilities],
    ...others,
  });
}

export function invoke(
  toolId: string,
  capability: string,
  parameters: JsonObject = {},
  others: JsonObject = {},
  options?: Options,
): Promise<Answer> {
  return post(`/agents/tools/${toolId}/invoke`, { capability, parameters, ...others }, options);
}

/** Returns the number of requests with this key that the hostile server has received. */
export async function requestsSeen(key: string): Promise<number> {
  const response = await fetch(`${originOf("hostile")}/seen?key=${key}`);
  const { requests } = await response.json<{ requests: number }>();
  return requests;
}
