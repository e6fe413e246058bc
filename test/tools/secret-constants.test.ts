import { expect, it } from "vitest";
import type { JsonObject } from "../../src/kernel/json.ts";
import { get, post } from "../support/client.ts";
import { expectProblems } from "../support/expect-errors.ts";

/** A public IP address, so no name is resolved. */
const CONNECTOR = { type: "http", baseUrl: "http://93.184.216.34" };

function tool(connector: JsonObject, request: JsonObject = {}): JsonObject {
  const capabilities = [{ id: "look", request: { method: "GET", path: "/", ...request } }];
  return { id: "constants", name: "Constants", connector, capabilities };
}

it.each([
  "PRIVATE-TOKEN",
  "X-Vault-Token",
  "X-Auth-Key",
  "X-Auth",
  "Ocp-Apim-Subscription-Key",
  "x-functions-key",
])("a tool cannot be registered with the constant header %s", async (name) => {
  const headers = { [name]: "s3cret" };
  const refused = await post("/agents/tools", tool({ ...CONNECTOR, headers }));
  expectProblems(refused, { "connector.headers": "must not contain a credential" });
  expect(refused.text).not.toContain("s3cret");
  expect((await get("/agents/tools/constants")).status).toBe(404);
});

it.each(["key", "sig", "subscription-key"])(
  "a tool cannot be registered with the query constant %s",
  async (name) => {
    const query = { [name]: { value: "s3cret" } };
    const refused = await post("/agents/tools", tool(CONNECTOR, { query }));
    const path = `capabilities[0].request.query.${name}`;
    expectProblems(refused, { [path]: "must not contain a credential" });
    expect((await get("/agents/tools/constants")).status).toBe(404);
  },
);
