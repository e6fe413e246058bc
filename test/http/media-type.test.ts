import { beforeAll, describe, expect, it } from "vitest";
import { post } from "../support/client.ts";
import { sendBytes } from "../support/raw-request.ts";
import { expectError } from "../support/expect-errors.ts";
import { create, stopClock } from "../support/tasks.ts";

const BODY = new TextEncoder().encode('{"task":"x"}');
const createAs = (type: string | null) =>
  sendBytes("POST", "/agents/tasks", BODY, { "Content-Type": type });

beforeAll(stopClock);

describe("Content-Type", () => {
  it.each([
    "application/json",
    "application/json; charset=utf-8",
    "application/json;charset=UTF-8",
    "APPLICATION/JSON",
    "application/merge-patch+json",
  ])("the media type %s is accepted", async (type) => {
    expect((await createAs(type)).status).toBe(201);
  });

  it.each([
    "text/plain",
    "text/plain;charset=UTF-8",
    "text/json",
    "application/x-www-form-urlencoded",
    "multipart/form-data; boundary=x",
    "application/jsonp",
    "application/xml",
    "json",
    "text/plain; application/json",
    "application/json, text/plain",
  ])("a body sent as %s gets 415", async (type) => {
    const answer = await createAs(type);
    expectError(answer, 415, "UNSUPPORTED_MEDIA_TYPE");
    expect(answer.body.error.message).toContain(`got "${type}"`);
  });

  it("a body without Content-Type gets 415", async () => {
    const answer = await createAs(null);
    expectError(answer, 415, "UNSUPPORTED_MEDIA_TYPE");
    expect(answer.body.error.message).toContain("application/json, got none");
  });

  it.each(["cancel", "retry"])(
    "the action %s needs no Content-Type without a body",
    async (verb) => {
      const id = await create();
      const answer = await sendBytes("POST", `/agents/tasks/${id}/${verb}`, null, {
        "Content-Type": null,
      });
      expect([200, 409]).toContain(answer.status);
    },
  );

  it("the action cancel needs a Content-Type with a body", async () => {
    const reason = new TextEncoder().encode('{"reason":"x"}');
    const answer = await sendBytes("POST", `/agents/tasks/${await create()}/cancel`, reason, {
      "Content-Type": null,
    });
    expectError(answer, 415, "UNSUPPORTED_MEDIA_TYPE");
  });

  it.each(["respond", "review", "feedback"])(
    "the action %s without a body gets 415",
    async (verb) => {
      const answer = await post(`/agents/tasks/${await create()}/${verb}`);
      expectError(answer, 415, "UNSUPPORTED_MEDIA_TYPE");
    },
  );
});

describe("Content-Encoding", () => {
  it.each(["gzip", "br", "deflate", "identity", "zstd"])(
    "a body sent as %s gets 415",
    async (encoding) => {
      const answer = await sendBytes("POST", "/agents/tasks", BODY, {
        "Content-Encoding": encoding,
      });
      expectError(answer, 415, "UNSUPPORTED_MEDIA_TYPE");
      expect(answer.body.error.message).toContain("Content-Encoding");
    },
  );
});
