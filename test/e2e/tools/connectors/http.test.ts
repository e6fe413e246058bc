import { env } from "cloudflare:workers";
import { describe, expect, inject, it } from "vitest";
import type {
  RequestAuthorization,
  HttpConnector,
  HttpRequestTemplate,
} from "../../../../src/tools/model/connector.ts";
import type { JsonObject } from "../../../../src/kernel/json.ts";
import { createEgress } from "../../../../src/platform/egress/egress.ts";
import type { ConnectorFailure, CallOutcome } from "../../../../src/tools/connectors/contract.ts";
import { callHttp } from "../../../../src/tools/connectors/http/call-http.ts";

const HARBOUR: HttpConnector = {
  type: "http",
  baseUrl: inject("outside")["harbour"] ?? "",
  headers: {},
  timeoutMs: 5_000,
  credential: null,
};
const KEY: RequestAuthorization = { in: "header", name: "X-Api-Key", value: "harbour-key" };
const TIDES: HttpRequestTemplate = {
  method: "GET",
  path: "/harbours/{harbour}/tides{?date}",
  query: { days: { parameter: "days" } },
};
const BERTHS: HttpRequestTemplate = {
  method: "GET",
  path: "/berths",
  query: { free: { parameter: "free" }, harbour: { parameter: "harbours" } },
};
const BOOK: HttpRequestTemplate = {
  method: "POST",
  path: "/berths/{berth}/bookings",
  body: { as: "json", fields: { ship: "ship", from: "from", nights: "nights" } },
};
const CANCEL: HttpRequestTemplate = { method: "DELETE", path: "/bookings/{booking}" };
const AURORA = { name: "Aurora", length_m: 11.5 };

function run(
  request: HttpRequestTemplate,
  parameters: JsonObject,
  authorization: RequestAuthorization | null = null,
): Promise<CallOutcome> {
  const call = { toolId: "harbour", capability: "c", parameters, authorization };
  return callHttp(createEgress(env), HARBOUR, request, call);
}

function valueOf(outcome: CallOutcome): JsonObject {
  if (!outcome.ok) throw new Error(`The call failed: ${JSON.stringify(outcome.failure)}`);
  return outcome.value;
}

function failureOf(outcome: CallOutcome): ConnectorFailure {
  if (outcome.ok) throw new Error(`The call succeeded: ${JSON.stringify(outcome.value)}`);
  return outcome.failure;
}

describe("the harbour API", () => {
  it("parameters reach the harbour API in the path, in a template's query and in a mapped query", async () => {
    const parameters = { harbour: "port-ellery", date: "2026-05-01", days: 2 };
    const result = valueOf(await run(TIDES, parameters));
    expect(result).toMatchObject({ status: 200, body: { harbour: "port-ellery" } });
    const turns = valueOf(await run({ ...TIDES, result: "$.tides[*].turn" }, parameters))["body"];
    expect(turns).toEqual(["low", "high", "low", "high", "low", "high", "low", "high"]);
    const first = { ...TIDES, result: "$.tides[0].height_m" };
    expect(valueOf(await run(first, parameters))["body"]).toBe(0.94);
    const nothing = { ...TIDES, result: "$.tides[99].height_m" };
    expect(valueOf(await run(nothing, parameters))["body"]).toBeNull();
  });

  it("a list and a boolean reach the harbour API in the query", async () => {
    const parameters = { free: true, harbours: ["sandvik", "kelp-bay"] };
    const ids = { ...BERTHS, result: "$.berths[*].id" };
    const all = ["sandvik", "kelp-bay"].flatMap((one) => [1, 2, 3].map((n) => `${one}-${n}`));
    expect(valueOf(await run(ids, parameters))["body"]).toEqual(all);
    expect(valueOf(await run(ids, { free: false }))["body"]).toEqual([]);
  });

  it("a berth is booked with a nested body and a key, and the booking is cancelled", async () => {
    const booking = { berth: "kelp-bay-1", ship: AURORA, from: "2026-05-01", nights: 2 };
    const made = valueOf(await run(BOOK, booking, KEY));
    expect(made).toEqual({ status: 201, body: { booking: expect.any(Number), ...booking } });
    const taken = failureOf(await run(BOOK, { ...booking, from: "2026-05-02" }, KEY));
    expect(taken).toEqual({
      kind: "rejected",
      reason: "it returned HTTP 409.",
      details: { status: 409, body: { error: "kelp-bay-1 is taken on some of these nights." } },
    });
    const id = Reflect.get(Object(made["body"]), "booking");
    const cancelled = valueOf(await run(CANCEL, { booking: id }, KEY));
    expect(cancelled).toEqual({ status: 204, body: null });
  });

  it("the harbour API rejects a missing key and an unknown harbour", async () => {
    const booking = { berth: "kelp-bay-2", ship: AURORA, from: "2026-05-01", nights: 2 };
    expect(failureOf(await run(BOOK, booking))).toEqual({
      kind: "unauthorized",
      reason: "it returned HTTP 401 and requires valid credentials.",
      details: { status: 401, body: { error: expect.any(String) } },
    });
    expect(failureOf(await run(TIDES, { harbour: "atlantis", date: "2026-05-01" }))).toMatchObject({
      kind: "rejected",
      details: { status: 404, body: { error: "There is no harbour atlantis; see /harbours." } },
    });
  });

  it("a parameter cannot change the path of a request to the harbour API", async () => {
    for (const harbour of ["..", ".", ""]) {
      const failure = failureOf(await run(TIDES, { harbour, date: "2026-05-01" }));
      expect(failure).toMatchObject({ kind: "parameters", problems: [{ path: "harbour" }] });
    }
    const failure = failureOf(await run(TIDES, { harbour: "../berths?", date: "2026-05-01" }));
    expect(failure).toMatchObject({
      details: { body: { error: "There is no harbour ../berths?; see /harbours." } },
    });
  });
});
