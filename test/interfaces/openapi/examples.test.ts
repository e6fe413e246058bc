import type { EventSourceMessage } from "eventsource-parser";
import { describe, expect, it } from "vitest";
import { app } from "../../../src/app.ts";
import { listEndpoints, routeKeyOf } from "../../../src/interfaces/openapi/api-route.ts";
import { taskEventSchema, taskSnapshotSchema } from "../../../src/tasks/api/event-schemas.ts";
import { parseEvents } from "../../support/parse-events.ts";

const OPERATIONS = new Map(
  listEndpoints(app.routes).map((route) => [routeKeyOf(route), route.operation]),
);

/** The operations with bodies in the envelope; files and pages have none. */
const ENVELOPED = [...OPERATIONS].filter(([, { tag }]) => tag !== "Service");

describe.each(ENVELOPED)("the document's %s", (name, operation) => {
  it("an operation with a body has an example that the service accepts", () => {
    const { body } = operation;
    expect(operation.bodyExample === undefined).toBe(body === undefined);
    if (body !== undefined) expect(body.safeParse(operation.bodyExample).error).toBeUndefined();
  });

  it("the service accepts the examples of query parameters", () => {
    const query = { ...operation.query?.shape, ...operation.handlerQuery?.shape };
    for (const [parameter, schema] of Object.entries(query)) {
      const example = operation.parameters[parameter]?.example;
      if (example === undefined) continue;
      expect(schema.safeParse(String(example)).error, `${name} ${parameter}`).toBeUndefined();
    }
  });

  it("every documented response with data has a complete example that matches its schema", () => {
    for (const { status, data, example } of operation.responses) {
      if (data === undefined) continue;
      expect(example, `${name} shows nothing for ${status}`).toBeDefined();
      expect(data.safeParse(example).error, `${name} ${status}`).toBeUndefined();
      const stranger = data.safeParse({ ...asObject(example), colour: "red" });
      expect(stranger.success, `${name} ${status} takes unknown fields`).toBe(false);
    }
  });
});

it("the example of a stream has a snapshot, then each event with its seq as id", () => {
  const [page] = OPERATIONS.get("GET /agents/tasks/:id/events")?.responses ?? [];
  const shown = String(page?.content?.["text/event-stream"]?.example);
  expect(shown).toMatch(/^event: snapshot\ndata: .*\nid: .*\nretry: 1000\n\n/);
  const [snapshot, ...messages] = parseEvents(shown);
  expect(taskSnapshotSchema.safeParse(dataOf(snapshot)).error).toBeUndefined();
  const events = messages.map((message) => taskEventSchema.parse(dataOf(message)));
  expect(events.map(({ seq }) => seq)).toEqual([1, 2, 3, 4]);
  expect(messages.map(({ id }) => id)).toEqual(events.map(({ seq }) => String(seq)));
});

describe("the progress of an import", () => {
  it("the example of an import's progress is Server-Sent Events that end with the response's envelope", () => {
    const { responses } = OPERATIONS.get("POST /agents/tools/import") ?? { responses: [] };
    const [updated] = responses;
    const shown = String(updated?.content?.["text/event-stream"]?.example);
    const events = parseEvents(shown);
    expect(events.map(({ event }) => event)).toEqual(["progress", "result"]);
    const { success, data } = JSON.parse(events.at(-1)?.data ?? "null");
    expect(success).toBe(true);
    expect(updated?.data?.safeParse(data).error).toBeUndefined();
  });
});

function dataOf(message: EventSourceMessage | undefined): unknown {
  return JSON.parse(message?.data ?? "null");
}

function asObject(value: unknown): object {
  if (typeof value !== "object" || value === null) throw new Error("data is an object");
  return value;
}
