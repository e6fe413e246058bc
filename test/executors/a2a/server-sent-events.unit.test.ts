import { describe, expect, it } from "vitest";
import {
  parseEventStream,
  serializeServerSentEvent,
  type ParsedServerSentEvent,
} from "../../../src/executors/a2a/server-sent-events.ts";

/** The events of a text that comes in pieces of `size` bytes. */
async function read(text: string, size: number): Promise<ParsedServerSentEvent[]> {
  const bytes = new TextEncoder().encode(text);
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      for (let at = 0; at < bytes.length; at += size)
        controller.enqueue(bytes.slice(at, at + size));
      controller.close();
    },
  });
  const events: ParsedServerSentEvent[] = [];
  for await (const event of parseEventStream(body)) events.push(event);
  return events;
}

const STREAM = [
  ": hello",
  "id: 7",
  'data: {"é": "🚢"}',
  "",
  "event: error",
  "data:one",
  "data",
  "data:  two",
  "",
  "",
  "retry: 10",
  "",
  "data: unfinished",
].join("\r\n");

describe("an event stream", () => {
  it.each([1, 2, 7, 1_000])(
    "an event stream is read the same in pieces of %i bytes",
    async (size) => {
      const events = [
        { type: "message", data: '{"é": "🚢"}' },
        { type: "error", data: "one\n\n two" },
      ];
      expect(await read(STREAM, size)).toEqual(events);
      expect(await read(STREAM.replaceAll("\r\n", "\n"), size)).toEqual(events);
    },
  );

  it("serialized events are parsed to the same events", async () => {
    const value = { text: "line\nline\u2028", list: [1] };
    const events = await read(
      serializeServerSentEvent("message", value) + serializeServerSentEvent("error", value),
      3,
    );
    expect(events.map(({ type, data }) => [type, JSON.parse(data)])).toEqual([
      ["message", value],
      ["error", value],
    ]);
  });
});
