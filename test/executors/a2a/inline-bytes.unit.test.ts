import { describe, expect, it } from "vitest";
import { InlineBytes } from "../../../src/executors/a2a/inline-bytes.ts";
import { A2aTransport } from "../../../src/executors/a2a/transport.ts";
import type { Egress } from "../../../src/platform/egress/contract.ts";

const URL_OF_AGENT = "https://a.example.com/rpc";
const SIZE = 1_000;
const RAW = btoa("x".repeat(SIZE));
const GONE = { ok: false, failure: "are not in the last response" };

/** An egress that returns this response for every request. */
function answering(body: string, type: string): Egress {
  const rejectCall = async (): Promise<never> => {
    throw new Error("No request is expected");
  };
  return {
    checkUrl: rejectCall,
    send: rejectCall,
    createFetch: () => async () => new Response(body, { headers: { "Content-Type": type } }),
  };
}

const ANSWER = JSON.stringify({ parts: [{ raw: RAW }] });

function urlIn(text: string): string {
  const found = /"url":"(kept:[^"]+)"/.exec(text)?.[1];
  if (found === undefined) throw new Error("Nothing was kept");
  return found;
}

async function look(line: A2aTransport): Promise<string> {
  return urlIn(await (await line.fetch(URL_OF_AGENT)).text());
}

describe("inline bytes in responses", () => {
  it("inline bytes from a poll are kept only until the next poll", async () => {
    const line = new A2aTransport(answering(ANSWER, "application/json"), URL_OF_AGENT, null);
    const urls: string[] = [];
    for (let count = 0; count < 8; count += 1) urls.push(await look(line));
    expect(new Set(urls).size).toBe(8);
    expect(line.inlineBytes.totalBytes).toBe(SIZE);
    for (const url of urls.slice(0, -1)) expect(line.inlineBytes.find(url)).toEqual(GONE);
    expect(line.inlineBytes.find(urls[7] ?? "")).toMatchObject({ ok: true });
  });

  it("inline bytes from a stream are kept after the polled ones are deleted", async () => {
    const stream = `data: ${ANSWER}\n\ndata: ${ANSWER}\n\n`;
    const line = new A2aTransport(answering(stream, "text/event-stream"), URL_OF_AGENT, null);
    const text = await (await line.fetch(URL_OF_AGENT)).text();
    line.inlineBytes.deletePolled();
    expect(line.inlineBytes.totalBytes).toBe(2 * SIZE);
    expect(line.inlineBytes.find(urlIn(text))).toMatchObject({ ok: true });
  });

  it("the oldest inline bytes are evicted to stay within the limit", () => {
    const kept = new InlineBytes(2.5 * SIZE);
    const urls = Array.from({ length: 20 }, () => {
      const url = kept.add(RAW, "stream");
      expect(kept.totalBytes).toBeLessThanOrEqual(2.5 * SIZE);
      return url;
    });
    expect(kept.totalBytes).toBe(2 * SIZE);
    const isThere = urls.map((url) => kept.find(url)?.ok);
    expect(isThere).toEqual([...Array<boolean>(18).fill(false), true, true]);
  });

  it("inline bytes are distinguished from URLs and from text that is not base64", () => {
    const kept = new InlineBytes(SIZE);
    expect(kept.find("https://a.example.com/kept:1")).toBeNull();
    expect(kept.find("kept:1/0")).toBeNull();
    expect(kept.find(kept.add("%%", "poll"))).toEqual({
      ok: false,
      failure: "are not valid base64",
    });
  });
});
