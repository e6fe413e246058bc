import { createExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { fetchEventSource } from "@microsoft/fetch-event-source";
import { EventSource } from "eventsource";
import { Hono } from "hono";
import { expect, it, onTestFinished, vi } from "vitest";
import type { AppEnv } from "../../src/http/envelope.ts";
import { streamMessages, type SseMessage } from "../../src/http/streaming.ts";

const FRAMES: readonly (SseMessage | null)[] = [
  { event: "snapshot", id: "0", data: "{}" },
  null,
  null,
  { id: "1", data: '{"seq":1}' },
  null,
  { id: "2", data: '{"seq":2}' },
];

/** Serves frames as a stream that begins with `before`. */
function served(before: readonly (SseMessage | null)[] = []): typeof fetch {
  const app = new Hono<AppEnv>();
  app.get("/", (c) =>
    streamMessages(
      c,
      (async function* () {
        yield* [...before, ...FRAMES];
      })(),
      new AbortController(),
    ),
  );
  return async (input, init) => app.fetch(new Request(input, init), env, createExecutionContext());
}

it("a client that reports every empty line receives only the events, and retry with the first", async () => {
  vi.stubGlobal("window", globalThis);
  vi.stubGlobal("document", { removeEventListener: () => {} });
  onTestFinished(() => {
    vi.unstubAllGlobals();
  });
  const received: unknown[] = [];
  await fetchEventSource("https://bosun.test/", {
    fetch: served([null]),
    openWhenHidden: true,
    onmessage: (message) => received.push(message),
  });
  expect(received).toEqual([
    { event: "snapshot", id: "0", data: "{}", retry: 1_000 },
    { event: "", id: "1", data: '{"seq":1}', retry: undefined },
    { event: "", id: "2", data: '{"seq":2}', retry: undefined },
  ]);
});

it("a standard parser does not join a keep-alive comment and the next event", async () => {
  const source = new EventSource("https://bosun.test/", { fetch: served() });
  const received: unknown[] = [];
  await new Promise<void>((resolve) => {
    source.addEventListener("message", ({ data, lastEventId }) => {
      received.push([lastEventId, data]);
      if (lastEventId === "2") resolve();
    });
  });
  source.close();
  expect(received).toEqual([
    ["1", '{"seq":1}'],
    ["2", '{"seq":2}'],
  ]);
});
