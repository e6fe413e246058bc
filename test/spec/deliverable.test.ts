import { beforeAll, describe, expect, it } from "vitest";
import { get, ORIGIN } from "../support/client.ts";
import { read, stopClock, taskIn } from "../support/tasks.ts";

interface Listed {
  readonly type: string;
  readonly name: string;
  readonly url: string;
  readonly downloadUrl: string;
  readonly size: number;
  readonly format: string;
  readonly createdAt: string;
}

const ASKED = ["analysis", "summary"];
let id = "";
let listed: readonly Listed[] = [];
let finishedAt = "";

const follow = (url: string, key?: null) =>
  get(url.slice(ORIGIN.length), key === null ? { key } : {});

describe("Deliverable", () => {
  beforeAll(async () => {
    stopClock();
    id = await taskIn("completed", { deliverables: ASKED });
    finishedAt = new Date().toISOString();
    listed = (await get(`/agents/tasks/${id}/deliverables`)).body.data.deliverables;
    expect(listed.length).toBeGreaterThanOrEqual(ASKED.length);
  });

  it("a deliverable has the requested type", () => {
    expect([...new Set(listed.map(({ type }) => type))].toSorted()).toEqual(ASKED);
  });

  it("a deliverable has a file name that is unique in its task", () => {
    for (const { name } of listed) expect(name).toMatch(/^[^/\\]+\.\w+$/);
    expect(new Set(listed.map(({ name }) => name)).size).toBe(listed.length);
  });

  it("a deliverable's url serves the file to clients with a key", async () => {
    for (const { url, name } of listed) {
      expect(url).toBe(`${ORIGIN}/agents/tasks/${id}/deliverables/${encodeURIComponent(name)}`);
      expect((await follow(url)).status).toBe(200);
      expect((await follow(url, null)).status).toBe(401);
    }
  });

  it("only the deliverables endpoint returns a downloadUrl, which needs no key", async () => {
    for (const { url, downloadUrl } of listed) {
      const [open, keyed] = [await follow(downloadUrl, null), await follow(url)];
      expect(open.status).toBe(200);
      expect(open.text).toBe(keyed.text);
    }
    for (const file of (await read(id)).deliverables) {
      expect(file).not.toHaveProperty("downloadUrl");
    }
  });

  it("a deliverable has its size in bytes", async () => {
    for (const { url, size } of listed) {
      const { text } = await follow(url);
      expect(size).toBeGreaterThan(0);
      expect(new TextEncoder().encode(text).byteLength).toBe(size);
    }
  });

  it("only the deliverables endpoint returns a deliverable's format, which is its media type", async () => {
    const formats = Object.fromEntries(listed.map(({ type, format }) => [type, format]));
    expect(formats["analysis"]).toMatch(/^application\/json\b/);
    expect(formats["summary"]).toMatch(/^text\/plain\b/);
    for (const { url, format } of listed) {
      expect((await follow(url)).headers.get("Content-Type")).toBe(format);
    }
    for (const file of (await read(id)).deliverables) expect(file).not.toHaveProperty("format");
  });

  it("a deliverable has a creation date-time", () => {
    for (const { createdAt } of listed) expect(createdAt).toBe(finishedAt);
  });
});
