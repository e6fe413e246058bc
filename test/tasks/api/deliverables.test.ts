import {
  createExecutionContext,
  evictAllDurableObjects,
  runInDurableObject,
} from "cloudflare:test";
import { env } from "cloudflare:workers";
import { beforeAll, describe, expect, it } from "vitest";
import worker from "../../../src/index.ts";
import { get, ORIGIN, post, ROOT, send } from "../../support/client.ts";
import {
  LARGE_OUTPUT,
  create,
  passTime,
  stopClock,
  taskIn,
  untilStatus,
  wake,
} from "../../support/tasks.ts";
import { fileKeysOf, objectOf } from "../../support/task-state.ts";

beforeAll(stopClock);

interface Shown {
  readonly type: string;
  readonly name: string;
  readonly url: string;
  readonly downloadUrl: string;
  readonly size: number;
  readonly format: string;
  readonly createdAt: string;
}

async function deliverablesOf(id: string): Promise<Shown[]> {
  const answer = await get(`/agents/tasks/${id}/deliverables`);
  expect(answer.status).toBe(200);
  expect(answer.body.data.taskId).toBe(id);
  return answer.body.data.deliverables;
}

async function firstOf(id: string): Promise<Shown> {
  const [file] = await deliverablesOf(id);
  if (file === undefined) throw new Error("nothing was delivered");
  return file;
}

const path = (url: string): string => url.replace(ORIGIN, "");
const WHOLE_PAGE = /^<!doctype html>[\s\S]*<\/html>\s*$/i;

async function bytesAt(url: string): Promise<Uint8Array> {
  const request = new Request(url, { headers: { Authorization: `Bearer ${ROOT}` } });
  const answer = await worker.fetch(request, env, createExecutionContext());
  expect(answer.status).toBe(200);
  return new Uint8Array(await answer.arrayBuffer());
}

const text = (bytes: Uint8Array | undefined): string => new TextDecoder().decode(bytes);

/** Changes the case of a word's letters: each set bit in `spelling` makes one letter uppercase. */
function spelled(word: string, spelling: number): string {
  return word.replaceAll(/./g, (letter, place: number) =>
    (spelling >> place) % 2 === 1 ? letter.toUpperCase() : letter,
  );
}

const withoutKey = (url: string) => get(path(url), { key: null });

describe("a completed task's deliverables", () => {
  it.each([
    ["small", { deliverables: ["summary"] }, 0],
    ["large", LARGE_OUTPUT, 1],
  ])("%s deliverables are listed with size, format and both links", async (_, order, stored) => {
    const id = await taskIn("completed", order);
    const file = await firstOf(id);
    expect(file).toEqual({
      type: expect.any(String),
      name: expect.any(String),
      url: `${ORIGIN}/agents/tasks/${id}/deliverables/${encodeURIComponent(file.name)}`,
      downloadUrl: expect.stringContaining("signature="),
      size: expect.any(Number),
      format: expect.stringContaining("/"),
      createdAt: expect.any(String),
    });
    const served = await get(path(file.url));
    expect(served.status).toBe(200);
    const bytes = new TextEncoder().encode(served.text);
    expect(bytes.byteLength).toBe(file.size);
    expect(served.headers.get("Content-Type")).toBe(file.format);
    expect(await fileKeysOf(id)).toHaveLength(stored);
  });

  it("a large deliverable is stored in the file store exactly as it is served", async () => {
    const id = await taskIn("completed", LARGE_OUTPUT);
    const { url, format } = await firstOf(id);
    const [key = ""] = await fileKeysOf(id);
    const stored = await env.FILES.get(key);
    expect(await stored?.text()).toBe((await get(path(url))).text);
    expect(stored?.httpMetadata?.contentType).toBe(format);
  });

  it("small deliverables are stored entirely in the task's log and survive eviction", async () => {
    const deliverables = ["summary", "spreadsheet", "presentation", "analysis"];
    const context = { text: "Two wharves." };
    const id = await taskIn("completed", { deliverables, context });
    await evictAllDurableObjects();
    const files = await deliverablesOf(id);
    expect(files.map(({ type }) => type)).toEqual(deliverables);
    expect(await fileKeysOf(id)).toEqual([]);
    const [, sheet, slides, figures] = await Promise.all(files.map(({ url }) => bytesAt(url)));
    // A complete ZIP archive starts with its first entry and ends with an end record.
    expect([...(sheet?.subarray(0, 4) ?? [])]).toEqual([0x50, 0x4b, 3, 4]);
    expect([...(sheet?.subarray(-22, -18) ?? [])]).toEqual([0x50, 0x4b, 5, 6]);
    expect(text(slides)).toMatch(WHOLE_PAGE);
    expect(JSON.parse(text(figures))).toMatchObject({ summary: expect.any(String) });
  });

  it("small deliverables that exceed one log row are stored partly in the log and partly in the file store", async () => {
    const deliverables = Array.from({ length: 50 }, (_, spelling) => spelled("report", spelling));
    const id = await taskIn("completed", { deliverables });
    const files = await deliverablesOf(id);
    const stored = await fileKeysOf(id);
    expect(stored.length).toBeGreaterThan(0);
    expect(stored.length).toBeLessThan(files.length);
    for (const { url, size, format } of files.filter((_, place) => place % 9 === 0)) {
      const bytes = await bytesAt(url);
      expect(bytes).toHaveLength(size);
      expect(text(bytes)).toMatch(format.startsWith("text/html") ? WHOLE_PAGE : /^# /);
    }
  });

  it("after changes are requested, only the deliverable of the new round is listed and served", async () => {
    const id = await taskIn("review", { deliverables: ["summary"] });
    const first = await firstOf(id);
    const before = await get(path(first.url));
    passTime(1_000);
    await post(`/agents/tasks/${id}/review`, {
      decision: "request_changes",
      comment: "Add a chart.",
    });
    await untilStatus(id, "review");
    const files = await deliverablesOf(id);
    expect(files.map(({ name }) => name)).toEqual([first.name]);
    expect(files[0]?.createdAt).not.toBe(first.createdAt);
    const after = await get(path(first.url));
    expect(after.text).not.toBe(before.text);
    expect(after.text).toHaveLength(files[0]?.size ?? 0);
  });

  it("neither events nor the feed show where deliverables are stored", async () => {
    const id = await taskIn("completed", { deliverables: ["summary"] });
    for (const where of [`/agents/tasks/${id}/events`, "/agents/events?from=oldest&limit=100"]) {
      const shown = await get(where);
      expect(shown.text).toContain("summary.txt");
      expect(shown.text).not.toMatch(/heldAt|"key"/);
    }
  });

  it("a log from an earlier release that stored no deliverables in logs can store new ones", async () => {
    const id = await create({ context: { text: "Two wharves." }, deliverables: ["summary"] });
    await wake(id);
    await runInDurableObject(objectOf(id), (_, { storage }) => {
      storage.sql.exec("ALTER TABLE events DROP COLUMN held");
    });
    await evictAllDurableObjects();
    await untilStatus(id, "completed");
    expect(await fileKeysOf(id)).toEqual([]);
    const { url, size } = await firstOf(id);
    expect(new TextEncoder().encode((await get(path(url))).text)).toHaveLength(size);
  });

  it("deliverables are served as sandboxed attachments that browsers do not sniff or cache", async () => {
    const file = await firstOf(await taskIn("completed", { deliverables: ["summary"] }));
    for (const answer of [await get(path(file.url)), await withoutKey(file.downloadUrl)]) {
      expect(answer.status).toBe(200);
      expect(Object.fromEntries(answer.headers)).toMatchObject({
        "content-type": file.format,
        "content-length": String(file.size),
        "content-disposition": expect.stringMatching(/^attachment; filename="/),
        "content-security-policy": expect.stringMatching(/^sandbox; default-src 'none'/),
        "x-content-type-options": "nosniff",
        "cache-control": "private, no-store",
      });
    }
  });

  it("each deliverable has a type that was requested", async () => {
    const asked = ["summary", "analysis"];
    const id = await taskIn("completed", { deliverables: asked });
    const types = (await deliverablesOf(id)).map(({ type }) => type);
    expect(types.filter((type) => !asked.includes(type))).toEqual([]);
  });

  it("an unknown deliverable name returns 404", async () => {
    const id = await taskIn("completed", { deliverables: ["summary"] });
    const answer = await get(`/agents/tasks/${id}/deliverables/other.txt`);
    expect(answer.status).toBe(404);
    expect(answer.body.error.code).toBe("DELIVERABLE_NOT_FOUND");
  });

  it("a deliverable whose bytes are missing from the store returns 404, not an empty file", async () => {
    const id = await taskIn("completed", LARGE_OUTPUT);
    const file = await firstOf(id);
    await env.FILES.delete(await fileKeysOf(id));
    expect((await get(path(file.url))).status).toBe(404);
  });

  it("a HEAD request for a deliverable returns its size without the bytes", async () => {
    const file = await firstOf(await taskIn("completed", { deliverables: ["summary"] }));
    const answer = await send("HEAD", path(file.url));
    expect(answer.status).toBe(200);
    expect(answer.text).toBe("");
    expect(answer.headers.get("Content-Length")).toBe(String(file.size));
  });
});

describe("a signed link", () => {
  it("a signed link opens its file for an hour without a key", async () => {
    const file = await firstOf(await taskIn("completed", { deliverables: ["summary"] }));
    const byKey = await get(path(file.url));
    passTime(3_599_000 - 1_000);
    expect((await withoutKey(file.downloadUrl)).text).toBe(byKey.text);
    passTime(2_000);
    const expired = await withoutKey(file.downloadUrl);
    expect(expired.status).toBe(401);
    expect(expired.body.error).toMatchObject({
      code: "AUTHENTICATION_FAILED",
      message: expect.stringContaining("expired"),
    });
  });

  it.each<[string, (link: URL) => void]>([
    ["a later expiry", ({ searchParams }) => searchParams.set("expires", "99999999999")],
    ["no expiry", ({ searchParams }) => searchParams.delete("expires")],
    ["another signature", ({ searchParams }) => searchParams.set("signature", "A".repeat(43))],
    ["an empty signature", ({ searchParams }) => searchParams.set("signature", "")],
    [
      "a signature cut short",
      ({ searchParams }) =>
        searchParams.set("signature", (searchParams.get("signature") ?? "").slice(0, -1)),
    ],
    [
      "another name",
      (link) => {
        link.pathname = link.pathname.replace(/[^/]+$/, "other.txt");
      },
    ],
  ])("a signed link with %s returns 401", async (_, tamper) => {
    const file = await firstOf(await taskIn("completed", { deliverables: ["summary"] }));
    const link = new URL(file.downloadUrl);
    tamper(link);
    const answer = await withoutKey(link.href);
    expect(answer.status).toBe(401);
    expect(answer.text).not.toContain("summary.txt");
  });

  it("a signed link for one task's file does not open another task's file of the same name", async () => {
    const [one, other] = [
      await firstOf(await taskIn("completed", { deliverables: ["summary"] })),
      await firstOf(await taskIn("completed", { deliverables: ["summary"] })),
    ];
    const link = new URL(one.downloadUrl);
    link.pathname = new URL(other.url).pathname;
    expect((await withoutKey(link.href)).status).toBe(401);
  });

  it("an API key takes precedence over a link's signature, whether the key is valid or not", async () => {
    const file = await firstOf(await taskIn("completed", { deliverables: ["summary"] }));
    expect((await get(`${path(file.url)}?signature=nonsense`)).status).toBe(200);
    expect((await get(path(file.downloadUrl), { key: "bsn_wrong" })).status).toBe(401);
  });
});

describe("a task without deliverables to show", () => {
  it.each(["pending", "in_progress", "blocked", "failed", "cancelled"] as const)(
    "requesting the deliverables of a task that is %s returns 409",
    async (status) => {
      const id = await taskIn(status);
      for (const suffix of ["", "/summary.txt"]) {
        const answer = await get(`/agents/tasks/${id}/deliverables${suffix}`);
        expect(answer.status).toBe(409);
        expect(answer.body.error).toMatchObject({
          code: "TASK_NOT_COMPLETED",
          context: { status },
        });
      }
    },
  );

  it("a task in review serves its deliverables, and their links stop working if it is rejected", async () => {
    const id = await create({
      context: { text: "Two wharves.", requireReview: true },
      deliverables: ["summary"],
    });
    await untilStatus(id, "review");
    const { downloadUrl } = await firstOf(id);
    expect((await withoutKey(downloadUrl)).status).toBe(200);
    await post(`/agents/tasks/${id}/review`, { decision: "reject" });
    expect((await withoutKey(downloadUrl)).status).toBe(409);
  });
});
