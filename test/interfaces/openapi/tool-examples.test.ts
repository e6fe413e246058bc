import { describe, expect, it } from "vitest";
import { app } from "../../../src/app.ts";
import type { ApiOperations } from "../../../src/interfaces/openapi/api-operation.ts";
import { agentOperations } from "../../../src/interfaces/openapi/operations/agents.ts";
import { credentialOperations } from "../../../src/interfaces/openapi/operations/credentials.ts";
import { keyOperations } from "../../../src/interfaces/openapi/operations/keys.ts";
import { allToolOperations } from "../../../src/interfaces/openapi/operations.ts";
import { listEndpoints, routeKeyOf } from "../../../src/interfaces/openapi/api-route.ts";

const OPERATIONS: ApiOperations = {
  ...allToolOperations,
  ...credentialOperations,
  ...agentOperations,
  ...keyOperations,
};
const ROUTES = new Map(listEndpoints(app.routes).map((route) => [routeKeyOf(route), route]));

describe.each(Object.entries(OPERATIONS))("the document's %s", (name, operation) => {
  const body = ROUTES.get(name)?.inputs.body;

  it("is a route of the service", () => {
    expect([...ROUTES.keys()]).toContain(name);
  });

  it("shows a body that the service takes, where it takes one", () => {
    expect(operation.bodyExample === undefined).toBe(body === undefined);
    if (body !== undefined) expect(body.safeParse(operation.bodyExample).error).toBeUndefined();
  });

  it("the document has a complete response of each kind that matches its schema", () => {
    for (const { status, data, example } of operation.responses) {
      if (data === undefined) continue;
      expect(example, `${name} shows nothing for ${status}`).toBeDefined();
      expect(data.safeParse(example).error, `${name} ${status}`).toBeUndefined();
      const stranger = data.safeParse({ ...asObject(example), colour: "red" });
      expect(stranger.success, `${name} ${status} takes unknown fields`).toBe(false);
    }
  });
});

describe("the progress of an import", () => {
  it("is shown as Server-Sent Events that end with the envelope of the answer", () => {
    const { responses } = OPERATIONS["POST /agents/tools/import"] ?? { responses: [] };
    const [updated] = responses;
    const shown = String(updated?.content?.["text/event-stream"]?.example);
    const events = shown
      .trim()
      .split("\n\n")
      .map((event) => event.split("\n"));
    expect(events.map(([first]) => first)).toEqual(["event: progress", "event: result"]);
    const { success, data } = JSON.parse(events.at(-1)?.[1]?.slice("data: ".length) ?? "null");
    expect(success).toBe(true);
    expect(updated?.data?.safeParse(data).error).toBeUndefined();
  });
});

function asObject(value: unknown): object {
  if (typeof value !== "object" || value === null) throw new Error("data is an object");
  return value;
}
