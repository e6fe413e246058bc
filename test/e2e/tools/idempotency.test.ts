import { describe, expect, it } from "vitest";
import { get, type Options } from "../../support/client.ts";
import {
  queryCapability,
  originOf,
  registerHttpTool,
  requestsSeen,
} from "../../support/server-tools.ts";
import { parseEvents } from "../../support/parse-events.ts";
import { expectError } from "../../support/expect-errors.ts";
import { expectReplay, isReplay, keyed } from "../../platform/idempotency/fixtures.ts";

const STREAM: Options = { headers: { Accept: "text/event-stream" } };

interface SseEvent {
  readonly event: string;
  // oxlint-disable-next-line typescript/no-explicit-any -- as in Answer: a test asserts the shape it reads
  readonly data: any;
}

function eventsIn(text: string): SseEvent[] {
  return parseEvents(text).map(({ event = "", data }) => ({ event, data: JSON.parse(data) }));
}

describe("a call to another system with an Idempotency-Key", () => {
  const posting = (id: string, path: string) => ({
    id,
    request: { method: "POST", path },
  });

  it("a call with an Idempotency-Key is sent once, and a repeat gets the same response", async () => {
    const seen = crypto.randomUUID();
    await registerHttpTool("hostile", "once-ok", [posting("order", `/ok?counter=${seen}`)]);
    const body = { capability: "order", parameters: {} };
    const path = "/agents/tools/once-ok/invoke";
    const first = await keyed("outside-ok", path, body);
    expect(first.status, first.text).toBe(200);
    expectReplay(await keyed("outside-ok", path, body), first);
    expect(await requestsSeen(seen)).toBe(1);
  });

  it("a failed call that may have been executed is not sent again", async () => {
    const seen = crypto.randomUUID();
    await registerHttpTool("hostile", "once-reset", [posting("order", `/reset?counter=${seen}`)]);
    const body = { capability: "order", parameters: {} };
    const path = "/agents/tools/once-reset/invoke";
    const first = await keyed("outside-reset", path, body);
    expectError(first, 502, "TOOL_UPSTREAM_ERROR");
    expect(first.body.error.message).toContain("may have been executed");
    expectReplay(await keyed("outside-reset", path, body), first);
    expect(await requestsSeen(seen)).toBe(1);
  });

  it("a failed call that changed nothing and is retryable is sent again", async () => {
    const seen = crypto.randomUUID();
    await registerHttpTool("hostile", "once-flaky", [
      queryCapability("look", `/flaky?failures=3&counter=${seen}`),
    ]);
    const body = { capability: "look", parameters: {} };
    const path = "/agents/tools/once-flaky/invoke";
    const first = await keyed("outside-flaky", path, body);
    expectError(first, 502, "TOOL_UPSTREAM_ERROR");
    expect(first.body.error.retryable).toBe(true);
    const second = await keyed("outside-flaky", path, body);
    expect([second.status, isReplay(second)]).toEqual([200, false]);
    expectReplay(await keyed("outside-flaky", path, body), second);
  });
});

describe("a streamed import with an Idempotency-Key", () => {
  const path = "/agents/tools/import";
  const body = { id: "once-everything", mcp: { url: `${originOf("everything")}/mcp` } };

  it("a streamed import runs once, and a repeat gets its last event or a response that is not streamed", async () => {
    const first = await keyed("import", path, body, STREAM);
    expect(first.headers.has("Idempotency-Replayed")).toBe(false);
    const events = eventsIn(first.text);
    expect(events.map(({ event }) => event)).toEqual(["progress", "result"]);
    const result = events.at(-1)?.data;
    expect(result.data.tool.id).toBe("once-everything");

    const streamed = await keyed("import", path, body, STREAM);
    expect([streamed.status, isReplay(streamed)]).toEqual([200, true]);
    const [event, ...others] = eventsIn(streamed.text);
    expect([event?.event, event?.data.data, others]).toEqual(["result", result.data, []]);
    expect(event?.data.metadata.requestId).not.toBe(result.metadata.requestId);

    const plain = await keyed("import", path, body);
    expect([plain.status, isReplay(plain), plain.body.data]).toEqual([201, true, result.data]);
    expect((await get("/agents/tools/once-everything")).body.data.version).toBe(1);
  });

  it("a rejected import is rejected again with the same last event", async () => {
    const wrong = { id: "json-workbench", mcp: body.mcp };
    const first = await keyed("import-refused", path, wrong, STREAM);
    const [error] = eventsIn(first.text).slice(-1);
    expect([error?.event, error?.data.error.code]).toEqual(["error", "TOOL_BUILT_IN"]);
    const again = eventsIn((await keyed("import-refused", path, wrong, STREAM)).text);
    expect(again.map(({ event, data }) => [event, data.error])).toEqual([
      ["error", error?.data.error],
    ]);
  });

  it("an import with the Idempotency-Key of another request is rejected before a stream begins", async () => {
    const other = { ...body, id: "once-other" };
    await keyed("import-reused", path, { ...body, dryRun: true });
    const reused = await keyed("import-reused", path, other, STREAM);
    expectError(reused, 422, "IDEMPOTENCY_KEY_REUSED");
  });
});
