import { describe, expect, it } from "vitest";
import { A2aTransport } from "../../../src/executors/a2a/transport.ts";
import type { Egress } from "../../../src/platform/egress/contract.ts";

const AGENT_URL = "https://a.example.com/rpc";

/** An egress that responds to every request with this event stream, in chunks of `size` bytes. */
function streamingEgress(text: string, size: number): Egress {
  const unused = async (): Promise<never> => {
    throw new Error("This egress only fetches");
  };
  const bytes = new TextEncoder().encode(text);
  const open = () =>
    new ReadableStream<Uint8Array>({
      start(controller) {
        for (let at = 0; at < bytes.length; at += size)
          controller.enqueue(bytes.slice(at, at + size));
        controller.close();
      },
    });
  return {
    checkUrl: unused,
    send: unused,
    createFetch: () => async () =>
      new Response(open(), { headers: { "Content-Type": "text/event-stream" } }),
  };
}

/** The stream as the transport passes it on. */
async function read(text: string, size: number): Promise<string> {
  const transport = new A2aTransport(streamingEgress(text, size), AGENT_URL, null);
  return (await transport.fetch(AGENT_URL)).text();
}

const STREAM = [
  ": hello",
  "id: 7",
  'data: {"é": "🚢"}',
  "",
  "event: error",
  'data:{"one":',
  "data",
  'data:  "two"}',
  "",
  "",
  "retry: 10",
  "",
  "data: unfinished",
].join("\r\n");

describe("an agent's event stream", () => {
  it.each([1, 2, 7, 1_000])(
    "an event stream is read identically in chunks of %i bytes",
    async (size) => {
      const events = 'data: {"é":"🚢"}\n\nevent: error\ndata: {"one":"two"}\n\n';
      expect(await read(STREAM, size)).toBe(events);
      expect(await read(STREAM.replaceAll("\r\n", "\n"), size)).toBe(events);
    },
  );

  it("a rewritten event stream is unchanged when it is read again", async () => {
    const data = JSON.stringify({ text: "line\nline\u2028", list: [1] });
    const events = `data: ${data}\n\nevent: error\ndata: ${data}\n\n`;
    expect(await read(events, 3)).toBe(events);
  });

  it("an event stream that consists of one endless line yields no events", async () => {
    expect(await read("x".repeat(4_000_000), 1_000)).toBe("");
  });
});
