import type { JsonObject } from "../../src/kernel/json.ts";
import type { Scope } from "../../src/keys/model/key.ts";
import { del, post } from "../support/client.ts";
import { keyId } from "../support/keys.ts";

export const MANAGER: readonly Scope[] = [
  "keys:manage",
  "webhooks:manage",
  "agents:manage",
  "tools:manage",
  "tools:read",
];
/** A public IP address, which needs no DNS lookup. No request is sent to it. */
export const HOOK_URL = "https://93.184.216.34/hook";

let createdCount = 0;

/** Returns an agent or tool id that no other test uses. */
export function newId(): string {
  createdCount += 1;
  return `made-${createdCount}`;
}

/** Creates a resource with a key and returns the `data` of the response. */
export async function createResource(path: string, body: JsonObject, key: string) {
  const answer = await post(path, body, { key });
  if (answer.status !== 201) throw new Error(`The resource was not created: ${answer.text}`);
  return answer.body.data;
}

export const childOf = (key: string, body: JsonObject = {}) =>
  createResource("/agents/keys", { name: "child", scopes: ["keys:manage"], ...body }, key);
export const webhookOf = (key: string) =>
  createResource("/agents/webhooks", { url: HOOK_URL }, key);
export const agentOf = (key: string) => {
  return createResource("/agents", { id: newId() }, key);
};
export const toolOf = (key: string) => {
  const request = { method: "GET", path: "/" };
  const body = {
    id: newId(),
    name: "Made",
    description: "",
    connector: { type: "http", baseUrl: "https://93.184.216.34" },
    capabilities: [{ id: "look", description: "Looks.", parameters: [], request }],
  };
  return createResource("/agents/tools", body, key);
};

export const revoke = (key: string, query = "", by?: string) =>
  del(`/agents/keys/${keyId(key)}${query}`, by === undefined ? {} : { key: by });
