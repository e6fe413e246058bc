import type { EventSourceMessage } from "eventsource-parser";
import { describe, expect, it } from "vitest";
import { app } from "../../../src/app.ts";
import { listEndpoints } from "../../../src/interfaces/openapi/api-route.ts";
import { taskEventSchema } from "../../../src/tasks/api/event-schemas.ts";
import { taskSnapshotSchema } from "../../../src/tasks/api/stream-schemas.ts";
import { parseEvents } from "../../support/parse-events.ts";
import { routeKeyOf } from "./undescribed.ts";

const ENDPOINTS = new Map(listEndpoints(app.routes).map((route) => [routeKeyOf(route), route]));

/** Operations whose responses use the envelope. Files and pages do not. */
const ENVELOPED = [...ENDPOINTS].filter(([, { operation }]) => operation.tag !== "Service");

describe.each(ENVELOPED)("the document's %s", (name, { operation, example: recorded }) => {
  it("an operation with a body has an example that the service accepts", () => {
    const { body } = operation;
    expect(recorded.body === undefined).toBe(body === undefined);
    if (body !== undefined) expect(body.safeParse(recorded.body).error).toBeUndefined();
  });

  it("the service accepts the examples of query parameters", () => {
    const query = { ...operation.query?.shape, ...operation.handlerQuery?.shape };
    for (const [parameter, schema] of Object.entries(query)) {
      const example = recorded.parameters?.[parameter];
      if (example === undefined) continue;
      expect(schema.safeParse(String(example)).error, `${name} ${parameter}`).toBeUndefined();
    }
  });

  it("every documented response with data has a complete example that matches its schema", () => {
    for (const { status, data } of operation.responses) {
      if (data === undefined) continue;
      const example = recorded.responses?.[status];
      expect(example, `${name} shows nothing for ${status}`).toBeDefined();
      expect(data.safeParse(example).error, `${name} ${status}`).toBeUndefined();
      const stranger = data.safeParse({ ...asObject(example), colour: "red" });
      expect(stranger.success, `${name} ${status} takes unknown fields`).toBe(false);
    }
  });
});

it("the example of a stream has a snapshot, then each event with its seq as id", () => {
  const shown = streamOf("GET /agents/tasks/:id/events");
  expect(shown).toMatch(/^event: snapshot\ndata: .*\nid: .*\nretry: 1000\n\n/);
  const [snapshot, ...messages] = parseEvents(shown);
  expect(taskSnapshotSchema.safeParse(dataOf(snapshot)).error).toBeUndefined();
  const events = messages.map((message) => taskEventSchema.parse(dataOf(message)));
  expect(events.map(({ seq }) => seq)).toEqual([1, 2, 3, 4]);
  expect(messages.map(({ id }) => id)).toEqual(events.map(({ seq }) => String(seq)));
});

describe("the progress of an import", () => {
  it("the example of an import's progress is Server-Sent Events that end with the response's envelope", () => {
    const [updated] = ENDPOINTS.get("POST /agents/tools/import")?.operation.responses ?? [];
    const events = parseEvents(streamOf("POST /agents/tools/import"));
    expect(events.map(({ event }) => event)).toEqual(["progress", "result"]);
    const { success, data } = JSON.parse(events.at(-1)?.data ?? "null");
    expect(success).toBe(true);
    expect(updated?.data?.safeParse(data).error).toBeUndefined();
  });
});

/** The recorded stream of an endpoint, as the document shows it. */
function streamOf(name: string): string {
  return ENDPOINTS.get(name)?.example.stream?.join("\n") ?? "";
}

function dataOf(message: EventSourceMessage | undefined): unknown {
  return JSON.parse(message?.data ?? "null");
}

function asObject(value: unknown): object {
  if (typeof value !== "object" || value === null) throw new Error("The data is not an object");
  return value;
}
