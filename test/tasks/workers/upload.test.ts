import { beforeAll, describe, expect, it } from "vitest";
import { env } from "cloudflare:workers";
import { get, post } from "../../support/client.ts";
import { keyWith } from "../../support/keys.ts";
import { sendBytes } from "../../support/raw-request.ts";
import { expectProblems, expectError } from "../../support/expect-errors.ts";
import { passTime, read, stopClock, wake } from "../../support/tasks.ts";
import { eventsOf, fileKeysOf } from "../../support/task-state.ts";
import { bytesOf, claimOne, complete, heldTask, report, upload } from "./fixtures.ts";

const MIB = 1_048_576;
const CHUNK = 65_536;

beforeAll(stopClock);

let id = "";
let lease = "";

beforeAll(async () => {
  ({ id, lease } = await heldTask());
});

const bytes = bytesOf("wind and tide");
const HELLO = "sha-256=:y0XsHs5tfTpPr4vqSrCk5xSMOYLTE2RiZJQdxHLReHU=:";

/** Creates a body that is generated as it is read. */
function generatedBody(size: number): ReadableStream<Uint8Array> {
  let left = size;
  return new ReadableStream({
    pull(controller) {
      const chunk = new Uint8Array(Math.min(CHUNK, left)).fill(left % 251);
      left -= chunk.byteLength;
      if (chunk.byteLength > 0) controller.enqueue(chunk);
      if (left === 0) controller.close();
    },
  });
}

async function digestOf(stream: ReadableStream<Uint8Array>): Promise<string> {
  const digest = new crypto.DigestStream("SHA-256");
  await stream.pipeTo(digest);
  return Buffer.from(await digest.digest).toString("hex");
}

/** Asserts that a request adds no event and no file. */
async function expectNothing(act: () => Promise<void>, task = id): Promise<void> {
  const before = [await eventsOf(task), await fileKeysOf(task)];
  await act();
  expect([await eventsOf(task), await fileKeysOf(task)]).toEqual(before);
}

describe("a file", () => {
  it("a 100 MiB file is stored with its SHA-256, and a file one byte larger is rejected", async () => {
    const held = await heldTask();
    const size = 100 * MIB;
    const headers = { "Bosun-Lease": held.lease, "Content-Length": String(size) };
    const answer = await upload(held.id, "large.bin", generatedBody(size), headers);
    const sha256 = await digestOf(generatedBody(size));
    expect([answer.status, answer.body.data]).toMatchObject([201, { size, sha256, type: "bin" }]);
    await complete(held.id, held.lease);
    const [key = ""] = await fileKeysOf(held.id);
    const stored = await env.FILES.get(key);
    if (stored === null) throw new Error("The file must be in the store");
    expect(await digestOf(stored.body)).toBe(sha256);

    await expectNothing(async () => {
      const more = { "Bosun-Lease": lease, "Content-Length": String(size + 1) };
      const refused = await upload(id, "larger.bin", generatedBody(10), more);
      expectError(refused, 413, "PAYLOAD_TOO_LARGE");
      expect(refused.body.error.message).toContain(`${size} bytes`);
    });
  });

  it("an empty file is stored and served", async () => {
    const held = await heldTask();
    const headers = { "Bosun-Lease": held.lease, "Content-Length": "0" };
    const answer = await upload(held.id, "empty.txt", null, headers);
    expect(answer.body.data).toMatchObject({ size: 0, sha256: expect.stringMatching(/^e3b0c442/) });
    await complete(held.id, held.lease);
    expect((await get(`/agents/tasks/${held.id}/deliverables/empty.txt`)).text).toBe("");
  });

  it.each<[string, string, Record<string, string>, object]>([
    ["report.MD", "", {}, { type: "md", format: "application/octet-stream" }],
    ["archive.tar.gz", "", {}, { type: "gz" }],
    ["README", "", {}, { type: "file" }],
    [".hidden", "", {}, { type: "hidden" }],
    ["a b.c-d", "", {}, { type: "file" }],
    [
      "r.md",
      "?type=report",
      { "Content-Type": "text/markdown; charset=utf-8" },
      { type: "report", format: "text/markdown; charset=utf-8" },
    ],
    ["r.svg", "", { "Content-Type": 'image/svg+xml;a="b c"' }, { format: 'image/svg+xml;a="b c"' }],
  ])("a file named %j%s has the expected type and format", async (name, query, headers, file) => {
    const held = await heldTask();
    const path = `${encodeURIComponent(name)}${query}`;
    const answer = await upload(held.id, path, bytes, { "Bosun-Lease": held.lease, ...headers });
    expect([answer.status, answer.body.data]).toMatchObject([201, { name, ...file }]);
    await complete(held.id, held.lease);
    const [listed] = (await get(`/agents/tasks/${held.id}/deliverables`)).body.data.deliverables;
    expect(listed).toMatchObject({ name, ...file });
    const download = await sendBytes("GET", new URL(listed.url).pathname, null);
    expect(download.text).toBe("wind and tide");
    expect(download.headers.get("Content-Disposition")).toMatch(/^attachment;/);
  });

  it("a file replaces one with the same name, the response is 200, and the earlier bytes are deleted", async () => {
    const held = await heldTask();
    const put = (text: string) =>
      upload(held.id, "a.txt", bytesOf(text), { "Bosun-Lease": held.lease });
    expect((await put("first")).status).toBe(201);
    expect((await put("second, and longer")).status).toBe(200);
    expect(await fileKeysOf(held.id)).toHaveLength(1);
    await complete(held.id, held.lease);
    expect((await read(held.id)).deliverables).toMatchObject([{ name: "a.txt", size: 18 }]);
    expect((await get(`/agents/tasks/${held.id}/deliverables/a.txt`)).text).toBe(
      "second, and longer",
    );
  });

  it("a file that replaces one from before a question is then the only file in the store", async () => {
    const held = await heldTask();
    await upload(held.id, "a.txt", bytesOf("first"), { "Bosun-Lease": held.lease });
    await report(held.id, held.lease, { type: "blocked", question: "?" });
    await post(`/agents/tasks/${held.id}/respond`, { response: "x" });
    const { lease: next } = await claimOne(held.agentId);
    const again = { "Bosun-Lease": next.token };
    expect((await upload(held.id, "a.txt", bytesOf("second"), again)).status).toBe(200);
    expect(await fileKeysOf(held.id)).toHaveLength(1);
  });

  it("a failed upload leaves the file that it would replace unchanged", async () => {
    const held = await heldTask();
    const headers = { "Bosun-Lease": held.lease };
    await upload(held.id, "a.txt", bytesOf("first"), headers);
    await expectNothing(async () => {
      const wrong = { ...headers, "Content-Digest": HELLO };
      expect((await upload(held.id, "a.txt", bytesOf("other"), wrong)).status).toBe(400);
      const short = { ...headers, "Content-Length": "90" };
      expect((await upload(held.id, "a.txt", bytesOf("short"), short)).status).toBe(400);
    }, held.id);
    await complete(held.id, held.lease);
    expect((await get(`/agents/tasks/${held.id}/deliverables/a.txt`)).text).toBe("first");
  });

  it("a task has at most fifty files, each of which can still be replaced", async () => {
    const held = await heldTask();
    const headers = { "Bosun-Lease": held.lease };
    const places = Array.from({ length: 50 }, (_, place) => place);
    for (const place of places) {
      expect((await upload(held.id, `${place}.txt`, bytes, headers)).status).toBe(201);
    }
    await expectNothing(async () => {
      const answer = await upload(held.id, "more.txt", bytes, headers);
      expectProblems(answer, { name: 'already has 50 files, got "more.txt"' });
    }, held.id);
    expect((await upload(held.id, "7.txt", bytes, headers)).status).toBe(200);
  });

  it("one of two files that race to be the fiftieth is rejected and not stored", async () => {
    const held = await heldTask();
    const headers = { "Bosun-Lease": held.lease };
    for (let place = 0; place < 49; place += 1) {
      await upload(held.id, `${place}.txt`, bytes, headers);
    }
    const answers = await Promise.all(
      ["x", "y"].map((name) => upload(held.id, name, bytes, headers)),
    );
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([201, 400]));
    expect(await fileKeysOf(held.id)).toHaveLength(50);
  });
});

describe("an upload's digest", () => {
  const put = (name: string, digest: string) =>
    upload(id, name, bytes, { "Bosun-Lease": lease, "Content-Digest": digest });

  it("a matching SHA-256 digest is accepted, alone or with other digests", async () => {
    expect((await put("good.txt", HELLO)).status).toBe(201);
    expect((await put("also.txt", `unixsum=:AAAA:, ${HELLO}`)).status).toBe(201);
  });

  it("a file whose digest does not match is rejected and not stored", async () => {
    await expectNothing(async () => {
      const answer = await put("bad.txt", `sha-256=:${btoa("x".repeat(32))}:`);
      expectProblems(answer, { "Content-Digest": /which is cb45ec1e/ });
    });
  });

  it.each([
    "",
    "sha-256",
    "sha-256=abc",
    "sha-256=:abc",
    "sha-256=:AAAA:",
    "sha-512=:AAAA:",
    "sha-256=:=:",
    `${HELLO},`,
  ])("the digest %j is rejected", async (digest) => {
    await expectNothing(async () => {
      expectProblems(await put("bad.txt", digest), { "Content-Digest": /SHA-256 in base64/ });
    });
  });
});

describe("a file of unknown length", () => {
  /** Uploads a file in chunks, like a program that does not know the file's length. */
  const stream = (task: string, token: string, name: string, body: ReadableStream | null) =>
    upload(task, name, body, { "Bosun-Lease": token, "Content-Length": null });

  it.each([
    ["no bytes", 0],
    ["one chunk", CHUNK],
    ["exactly one part", 5 * MIB],
    ["several parts", 12 * MIB + 3],
  ])("a file of unknown length with %s is stored with its size and SHA-256", async (_, size) => {
    const held = await heldTask();
    const answer = await stream(
      held.id,
      held.lease,
      "a.bin",
      size === 0 ? null : generatedBody(size),
    );
    const sha256 = await digestOf(generatedBody(size));
    expect([answer.status, answer.body.data]).toMatchObject([201, { size, sha256, type: "bin" }]);
    await complete(held.id, held.lease);
    const [key = ""] = await fileKeysOf(held.id);
    const stored = await env.FILES.get(key);
    if (stored === null) throw new Error("The file must be in the store");
    expect([stored.size, await digestOf(stored.body)]).toEqual([size, sha256]);
    const [listed] = (await get(`/agents/tasks/${held.id}/deliverables`)).body.data.deliverables;
    expect(listed).toMatchObject({ size, sha256 });
  });

  it("a file of unknown length that is one byte over 100 MiB is rejected and leaves nothing behind", async () => {
    await expectNothing(async () => {
      const refused = await stream(id, lease, "larger.bin", generatedBody(100 * MIB + 1));
      expectError(refused, 413, "PAYLOAD_TOO_LARGE");
    });
  });

  it("a file of unknown length that does not match its digest is rejected and leaves nothing behind", async () => {
    await expectNothing(async () => {
      const headers = { "Bosun-Lease": lease, "Content-Length": null, "Content-Digest": HELLO };
      expectProblems(await upload(id, "a.bin", generatedBody(CHUNK), headers), {
        "Content-Digest": /SHA-256 of the body/,
      });
    });
  });
});

describe("an invalid upload", () => {
  it.each<[string, string, Record<string, string | null>, number, string]>([
    [
      "with a Content-Encoding",
      "a.txt",
      { "Content-Encoding": "gzip" },
      415,
      "UNSUPPORTED_MEDIA_TYPE",
    ],
    [
      "in an unknown charset",
      "a.txt",
      { "Content-Type": "text/csv; charset=klingon" },
      415,
      "UNSUPPORTED_MEDIA_TYPE",
    ],
    [
      "with a malformed media type",
      "a.txt",
      { "Content-Type": "text" },
      415,
      "UNSUPPORTED_MEDIA_TYPE",
    ],
    [
      "with two media types",
      "a.txt",
      { "Content-Type": "a/b, c/d" },
      415,
      "UNSUPPORTED_MEDIA_TYPE",
    ],
    [
      "with a media type that is too long",
      "a.txt",
      { "Content-Type": `a/${"b".repeat(200)}` },
      415,
      "UNSUPPORTED_MEDIA_TYPE",
    ],
    ["with a malformed length", "a.txt", { "Content-Length": "1e3" }, 400, "VALIDATION_ERROR"],
    [
      "shorter than its Content-Length",
      "a.txt",
      { "Content-Length": "14" },
      400,
      "VALIDATION_ERROR",
    ],
    [
      "longer than its Content-Length",
      "a.txt",
      { "Content-Length": "12" },
      400,
      "VALIDATION_ERROR",
    ],
    ["without a lease", "a.txt", { "Bosun-Lease": null }, 400, "VALIDATION_ERROR"],
    [
      "with a lease that is too long",
      "a.txt",
      { "Bosun-Lease": "x".repeat(201) },
      400,
      "VALIDATION_ERROR",
    ],
    ["with a forged lease", "a.txt", { "Bosun-Lease": "lse_forged" }, 409, "LEASE_LOST"],
    ["with a slash in its name", "a%2Fb", {}, 400, "VALIDATION_ERROR"],
    ["with a backslash in its name", "a%5Cb", {}, 400, "VALIDATION_ERROR"],
    ["with a line break in its name", "a%0Ab", {}, 400, "VALIDATION_ERROR"],
    ["with a right-to-left override in its name", "a%E2%80%AEgpj.exe", {}, 400, "VALIDATION_ERROR"],
    ["with a name that is too long", "n".repeat(129), {}, 400, "VALIDATION_ERROR"],
    ["with an empty type", "a.txt?type=", {}, 400, "VALIDATION_ERROR"],
    ["with two types", "a.txt?type=a&type=b", {}, 400, "VALIDATION_ERROR"],
    ["with a type that is too long", `a.txt?type=${"t".repeat(129)}`, {}, 400, "VALIDATION_ERROR"],
  ])(
    "an invalid upload (%s) is rejected and stores nothing",
    async (_, path, headers, status, code) => {
      await expectNothing(async () => {
        const answer = await upload(id, path, bytes, { "Bosun-Lease": lease, ...headers });
        expectError(answer, status, code);
      });
    },
  );

  it("an upload longer or shorter than its Content-Length is rejected, and the error states the length", async () => {
    const put = (length: string) =>
      upload(id, "a.txt", bytes, { "Bosun-Lease": lease, "Content-Length": length });
    expectProblems(await put("12"), { body: /longer than its Content-Length of 12 bytes/ });
    expectProblems(await put("14"), { body: /ended after 13 bytes, but Content-Length is 14/ });
  });

  it("an upload with several problems is rejected with all of them", async () => {
    const headers = { "Content-Digest": "x" };
    expectProblems(await upload(id, "a%2Fb?type=", bytes, headers), {
      name: /without slashes/,
      type: /must not be empty/,
      "Bosun-Lease": /must be the lease token from the claim response/,
      "Content-Digest": /SHA-256/,
    });
  });

  it("an upload to a full task or with a forged lease is rejected before its body is read", async () => {
    const held = await heldTask();
    const headers = { "Bosun-Lease": held.lease, "Content-Length": "100" };
    for (let place = 0; place < 50; place += 1) {
      await upload(held.id, `${place}.txt`, bytes, { "Bosun-Lease": held.lease });
    }
    for (const refused of [headers, { ...headers, "Bosun-Lease": "lse_forged" }]) {
      let pulls = 0;
      const body = new ReadableStream(
        {
          pull() {
            pulls += 1;
          },
        },
        { highWaterMark: 0 },
      );
      expect((await upload(held.id, "more.txt", body, refused)).status).toBeGreaterThanOrEqual(400);
      expect(pulls).toBe(0);
    }
  });

  it("an upload to an unknown task returns 404", async () => {
    const answer = await upload("a".repeat(64), "a.txt", bytes, { "Bosun-Lease": lease });
    expectError(answer, 404, "TASK_NOT_FOUND");
  });

  it("an upload with a key without the scope, or of another agent, is rejected", async () => {
    const reader = await keyWith(["tasks:read", "tasks:write"]);
    const other = await keyWith(["tasks:work"], { agentId: "researcher" });
    const put = (key: string) =>
      upload(id, "a.txt", bytes, { "Bosun-Lease": lease, Authorization: `Bearer ${key}` });
    await expectNothing(async () => {
      expectError(await put(reader), 403, "INSUFFICIENT_SCOPE");
      expectError(await put(other), 404, "TASK_NOT_FOUND");
    });
  });
});

describe("an interrupted upload", () => {
  /** Creates a body that sends its second half only when the test says so. */
  function halting(): {
    body: ReadableStream<Uint8Array>;
    goOn: () => void;
    breakOff: () => void;
    begun: Promise<void>;
  } {
    const begun = Promise.withResolvers<void>();
    const rest = Promise.withResolvers<"goes on" | "breaks off">();
    let pulls = 0;
    const body = new ReadableStream<Uint8Array>(
      {
        async pull(controller) {
          pulls += 1;
          if (pulls === 1) return controller.enqueue(bytes.slice(0, 6));
          begun.resolve();
          if ((await rest.promise) === "breaks off") return controller.error(new Error("gone"));
          controller.enqueue(bytes.slice(6));
          controller.close();
        },
      },
      { highWaterMark: 0 },
    );
    return {
      body,
      begun: begun.promise,
      goOn: () => rest.resolve("goes on"),
      breakOff: () => rest.resolve("breaks off"),
    };
  }

  const putHalf = (task: string, token: string, body: ReadableStream) =>
    upload(task, "slow.txt", body, {
      "Bosun-Lease": token,
      "Content-Length": String(bytes.byteLength),
    });

  it("an upload whose client disconnects leaves nothing behind", async () => {
    await expectNothing(async () => {
      const { body, begun, breakOff } = halting();
      const uploading = putHalf(id, lease, body);
      await begun;
      breakOff();
      expectProblems(await uploading, { body: /interrupted after 6 bytes/ });
    });
    expect((await upload(id, "slow.txt", bytes, { "Bosun-Lease": lease })).status).toBe(201);
  });

  it("an upload whose lease expires leaves nothing behind, and the next worker's file is kept", async () => {
    const held = await heldTask();
    const { body, begun, goOn } = halting();
    const uploading = putHalf(held.id, held.lease, body);
    await begun;
    passTime(61_000);
    await wake(held.id);
    passTime(10_000);
    await wake(held.id);
    const again = await claimOne(held.agentId);
    const theirs = await upload(held.id, "slow.txt", bytesOf("theirs"), {
      "Bosun-Lease": again.lease.token,
    });
    expect(theirs.status).toBe(201);
    goOn();
    expectError(await uploading, 409, "LEASE_LOST");
    expect(await fileKeysOf(held.id)).toHaveLength(1);
    await complete(held.id, again.lease.token);
    expect((await get(`/agents/tasks/${held.id}/deliverables/slow.txt`)).text).toBe("theirs");
  });

  it("an upload whose task is cancelled leaves nothing behind", async () => {
    const held = await heldTask();
    const { body, begun, goOn } = halting();
    const uploading = putHalf(held.id, held.lease, body);
    await begun;
    await post(`/agents/tasks/${held.id}/cancel`);
    goOn();
    expectError(await uploading, 409, "LEASE_LOST");
    expect(await fileKeysOf(held.id)).toEqual([]);
  });

  it("a slow upload succeeds while heartbeats renew the lease", async () => {
    const held = await heldTask();
    const { body, begun, goOn } = halting();
    const uploading = putHalf(held.id, held.lease, body);
    await begun;
    for (let beats = 0; beats < 3; beats += 1) {
      passTime(50_000);
      await report(held.id, held.lease, { type: "heartbeat" });
    }
    goOn();
    expect((await uploading).status).toBe(201);
  });
});
