import { describe, expect, it } from "vitest";
import { LlmTransport } from "../../../src/executors/llm/transport.ts";
import type { Egress } from "../../../src/platform/egress/contract.ts";

/** The text that the SDK receives for a response with these chunks, and the JSON object that the transport found. */
async function answered(...chunks: readonly string[]) {
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      for (const chunk of chunks) controller.enqueue(new TextEncoder().encode(chunk));
      controller.close();
    },
  });
  const headers = { "Content-Type": "text/event-stream; charset=utf-8" };
  const egress: Pick<Egress, "createFetch"> = {
    createFetch: () => async () => new Response(body, { headers }),
  };
  const wire = new LlmTransport(egress, false);
  const response = await wire.fetch("https://example.com/v1");
  return { text: await response.text(), unstreamedBody: wire.unstreamedBody };
}

describe("a response with the content type of an event stream", () => {
  it.each([[['{"id":1}']], [["\ufeff \n", " ", '\r\n\t{"id"', ":1}"]]])(
    "a single JSON object is read as an unstreamed response",
    async (chunks) => {
      const { unstreamedBody } = await answered(...chunks);
      expect(JSON.parse(unstreamedBody?.trim() ?? "null")).toEqual({ id: 1 });
    },
  );

  it.each([
    [["data: {}\n", "\n", "data: [DONE]\n\n"]],
    [["\n", ": comment\n\n", 'data: {"id":1}\n\n']],
    [[" "]],
    [[]],
  ])("an event stream is passed on completely and unchanged", async (chunks) => {
    expect(await answered(...chunks)).toEqual({ text: chunks.join(""), unstreamedBody: null });
  });
});
