import { beforeAll, describe, expect, it } from "vitest";
import { BODY_DRAINED_BYTES_MAX } from "../../src/http/limits.ts";
import { sendBytes } from "../support/raw-request.ts";
import { expectError } from "../support/expect-errors.ts";
import { stopClock } from "../support/tasks.ts";

const MIB = 1_048_576;

/** The body of a create request, with exactly this many bytes. */
function bodyOf(bytes: number): Uint8Array {
  const [before, after] = ['{"task":"x","context":{"text":"', '"}}'];
  const filling = "x".repeat(bytes - before.length - after.length);
  return new TextEncoder().encode(`${before}${filling}${after}`);
}

/** Splits a body into chunks, as a slow client would send it. */
function inChunks(body: Uint8Array): Uint8Array[] {
  const chunks: Uint8Array[] = [];
  for (let at = 0; at < body.byteLength; at += 65_536) chunks.push(body.slice(at, at + 65_536));
  return chunks;
}

const create = (body: Uint8Array | readonly Uint8Array[], headers = {}) =>
  sendBytes("POST", "/agents/tasks", body, headers);

describe("the size of a body", () => {
  beforeAll(stopClock);

  it.each([MIB - 1, MIB])("a body of %d bytes with Content-Length is accepted", async (bytes) => {
    const answer = await create(bodyOf(bytes), { "Content-Length": String(bytes) });
    expect(answer.status).toBe(201);
  });

  it.each([MIB - 1, MIB])(
    "a body of %d bytes without Content-Length is accepted",
    async (bytes) => {
      expect((await create(inChunks(bodyOf(bytes)))).status).toBe(201);
    },
  );

  it("a body one byte over 1 MiB with Content-Length gets 413", async () => {
    const answer = await create(bodyOf(MIB + 1), { "Content-Length": String(MIB + 1) });
    expectError(answer, 413, "PAYLOAD_TOO_LARGE");
    expect(answer.body.error.message).toContain("1048576 bytes");
  });

  it("a body one byte over 1 MiB without Content-Length gets 413", async () => {
    expectError(await create(inChunks(bodyOf(MIB + 1))), 413, "PAYLOAD_TOO_LARGE");
  });

  it("a Content-Length below the actual size does not bypass the limit", async () => {
    const answer = await create(bodyOf(MIB + 1), { "Content-Length": "20" });
    expectError(answer, 413, "PAYLOAD_TOO_LARGE");
  });

  it.each([
    ["without a Content-Length", {}],
    ["with a small Content-Length", { "Content-Length": "20" }],
  ])(
    "an endless body %s gets 413, and at most 1 MiB beyond the drain limit is read",
    async (_, headers) => {
      let pulled = 0;
      const endless = new ReadableStream<Uint8Array>({
        pull(controller) {
          pulled += 65_536;
          controller.enqueue(new Uint8Array(65_536).fill(0x20));
        },
      });
      const answer = await sendBytes("POST", "/agents/tasks", endless, headers);
      expectError(answer, 413, "PAYLOAD_TOO_LARGE");
      expect(pulled).toBeLessThan(BODY_DRAINED_BYTES_MAX + MIB);
    },
  );

  it("white space in a body counts toward the limit", async () => {
    const padded = new TextEncoder().encode(`{"task":"x"}${" ".repeat(MIB)}`);
    expectError(await create(padded), 413, "PAYLOAD_TOO_LARGE");
  });

  it("other endpoints also reject a body over 1 MiB", async () => {
    const id = "a".repeat(64);
    for (const path of [
      `/agents/tasks/${id}/cancel`,
      "/agents/keys",
      "/agents/tools/json-workbench/invoke",
    ]) {
      expectError(await sendBytes("POST", path, bodyOf(MIB + 1)), 413, "PAYLOAD_TOO_LARGE");
    }
  });
});
