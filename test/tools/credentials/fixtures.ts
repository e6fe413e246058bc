import { env } from "cloudflare:workers";
import type { Connector } from "../../../src/tools/model/connector.ts";
import type { JsonObject } from "../../../src/kernel/json.ts";
import { foreignTool, registerTools } from "../../support/catalogue.ts";
import { send, type Answer } from "../../support/client.ts";

export const HTTP = {
  type: "http",
  baseUrl: "https://93.184.215.14/api",
  headers: {},
  timeoutMs: 1_000,
  credential: null,
} as const satisfies Connector;
/** The HTTP system as an OpenAPI document. */
export const DOCUMENT = {
  openapi: "3.1.0",
  info: { title: "Harbour", version: "1" },
  servers: [{ url: HTTP.baseUrl }],
  paths: { "/ships": { get: { operationId: "ships", responses: { 200: { description: "ok" } } } } },
};
/** The HTTP system as a tool, without its id and name. */
export const SHIPS = {
  connector: { type: "http", baseUrl: HTTP.baseUrl },
  capabilities: [{ id: "ships", request: { method: "GET", path: "/ships" } }],
};
/** A public IP address, so no name is resolved. No request is sent to it. */
export const TOKEN_URL = "https://93.184.215.14/token";
export const AUTHORIZATION_URL = "https://93.184.215.14/authorize";

export const API_KEY = { type: "api-key", value: "the-secret" };
const CLIENT = { tokenUrl: TOKEN_URL, clientId: "bosun", clientSecret: "the-secret" };
export const MACHINE = { type: "oauth-client-credentials", ...CLIENT };
export const REFRESHING = { type: "oauth-refresh-token", ...CLIENT, refreshToken: "the-secret" };
export const PERSON = {
  type: "oauth-authorization-code",
  ...CLIENT,
  authorizationUrl: AUTHORIZATION_URL,
};

/** Adds a tool with OAuth and this connector to the catalogue. */
export async function tool(id: string, connector: Connector): Promise<void> {
  await registerTools(foreignTool(id, { authentication: { type: "oauth", scopes: ["usual"] } }));
  await env.DB.prepare("UPDATE tools SET connector = ? WHERE id = ?")
    .bind(JSON.stringify(connector), id)
    .run();
}

export const put = (body: JsonObject | string, id = "harbour"): Promise<Answer> =>
  send("PUT", `/agents/tools/${id}/credentials`, body);
