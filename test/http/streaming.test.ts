import { createExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { EventSource } from "eventsource";
import { Hono } from "hono";
import { expect, it } from "vitest";
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

/** Serves `before` and then the frames as a stream. */
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

it("every empty line ends an event that has data, and the first event contains retry", async () => {
  // Some clients report an event for each empty line.
  const stream = await (await served([null])("https://bosun.test/")).text();
  const events = stream.split("\n\n").map((lines) => lines.replaceAll(": ping\n", "").split("\n"));
  expect(events.map((lines) => lines.toSorted())).toEqual([
    ["data: {}", "event: snapshot", "id: 0", "retry: 1000"],
    ['data: {"seq":1}', "id: 1"],
    ['data: {"seq":2}', "id: 2"],
    [""],
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
