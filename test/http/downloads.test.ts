import { beforeAll, describe, expect, it } from "vitest";
import { createFileResponse } from "../../src/http/downloads.ts";
import { get, ORIGIN, post, send } from "../support/client.ts";
import { expectError } from "../support/expect-errors.ts";
import { passTime, stopClock, taskIn } from "../support/tasks.ts";

interface File {
  readonly name: string;
  readonly url: string;
  readonly downloadUrl: string;
}

const pathOf = (url: string) => url.slice(ORIGIN.length);

async function filesOf(id: string): Promise<File[]> {
  return (await get(`/agents/tasks/${id}/deliverables`)).body.data.deliverables;
}

async function fileOf(id: string): Promise<File> {
  const [file] = await filesOf(id);
  if (file === undefined) throw new Error("The task has no deliverable");
  return file;
}

/** Encodes a character that RFC 8187 does not allow unencoded. */
const hexOf = (character: string): string =>
  `%${character.charCodeAt(0).toString(16).toUpperCase()}`;

let id = "";
let file: File = { name: "", url: "", downloadUrl: "" };

beforeAll(async () => {
  stopClock();
  id = await taskIn("completed", { deliverables: ["summary"] });
  file = await fileOf(id);
});

describe("a signed download", () => {
  const follow = (query: Record<string, string>, path = pathOf(file.url)) =>
    get(`${path}?${new URLSearchParams(query).toString()}`, { key: null });
  const signed = () => Object.fromEntries(new URL(file.downloadUrl).searchParams);

  it("a signed download needs no key", async () => {
    expect((await get(pathOf(file.downloadUrl), { key: null })).status).toBe(200);
  });

  it("a signed download is an attachment with nosniff and a sandbox policy", async () => {
    const { headers } = await get(pathOf(file.downloadUrl), { key: null });
    expect(headers.get("Content-Disposition")).toMatch(/^attachment; filename="/);
    expect(headers.get("X-Content-Type-Options")).toBe("nosniff");
    expect(headers.get("Content-Security-Policy")).toMatch(/^sandbox;/);
    expect(headers.get("X-Request-Id")).toMatch(/\S/);
  });

  it("a HEAD request for a signed download gets 200 without a body", async () => {
    const head = await send("HEAD", pathOf(file.downloadUrl), undefined, { key: null });
    expect([head.status, head.text]).toEqual([200, ""]);
  });

  it.each([
    ["another signature", () => ({ ...signed(), signature: "A".repeat(43) })],
    ["an empty signature", () => ({ ...signed(), signature: "" })],
    ["a signature of another length", () => ({ ...signed(), signature: "A" })],
    ["a later expiry", () => ({ ...signed(), expires: String(Number(signed()["expires"]) + 1) })],
    ["an expiry with a leading zero", () => ({ ...signed(), expires: `0${signed()["expires"]}` })],
    ["no expiry", () => ({ signature: signed()["signature"] ?? "" })],
  ])("a signed link with %s gets 401", async (_, query) => {
    expectError(await follow(query()), 401, "AUTHENTICATION_FAILED");
  });

  it.each(["expires", "signature"])(
    "a signed link that contains %s twice gets 401",
    async (name) => {
      const query = new URL(file.downloadUrl).searchParams;
      query.append(name, query.get(name) ?? "");
      const answer = await get(`${pathOf(file.url)}?${query.toString()}`, { key: null });
      expectError(answer, 401, "AUTHENTICATION_FAILED");
    },
  );

  it("the error for an unknown parameter lists a signed link's parameters", async () => {
    const answer = await get(`${pathOf(file.url)}?expire=1`);
    expectError(answer, 400, "VALIDATION_ERROR");
    expect(answer.text).toContain("is not a known query parameter; known: expires, signature");
  });

  it("a file's signature does not open other files, whether of the same task or of another", async () => {
    const other = await fileOf(await taskIn("completed", { deliverables: ["summary"] }));
    expectError(await follow(signed(), pathOf(other.url)), 401, "AUTHENTICATION_FAILED");
    const renamed = `/agents/tasks/${id}/deliverables/other.txt`;
    expectError(await follow(signed(), renamed), 401, "AUTHENTICATION_FAILED");
  });

  it("a file's signature opens neither its task nor the list of deliverables, and does not allow DELETE", async () => {
    for (const path of [`/agents/tasks/${id}`, `/agents/tasks/${id}/deliverables`]) {
      expectError(await follow(signed(), path), 401, "AUTHENTICATION_FAILED");
    }
    const answer = await send("DELETE", pathOf(file.downloadUrl), undefined, { key: null });
    expectError(answer, 401, "AUTHENTICATION_FAILED");
  });

  it("a signed link that is sent with an invalid key gets 401", async () => {
    const answer = await get(pathOf(file.downloadUrl), { key: "bsn_wrong" });
    expectError(answer, 401, "AUTHENTICATION_FAILED");
  });

  it("a signed link expires after an hour", async () => {
    const fresh = await fileOf(id);
    passTime(3_599_000);
    expect((await get(pathOf(fresh.downloadUrl), { key: null })).status).toBe(200);
    passTime(1_000);
    const answer = await get(pathOf(fresh.downloadUrl), { key: null });
    expectError(answer, 401, "AUTHENTICATION_FAILED");
    expect(answer.headers.get("WWW-Authenticate")).toBe("Bearer");
  });
});

describe("a deliverable read with a key", () => {
  it("a deliverable with an unknown name gets 404", async () => {
    for (const name of ["nothing.txt", "..%2F..%2Fsecret", "%00", "*"]) {
      const answer = await get(`/agents/tasks/${id}/deliverables/${name}`);
      expectError(answer, 404, "DELIVERABLE_NOT_FOUND");
    }
  });

  it("reading a deliverable requires tasks:read", async () => {
    const wanted = { name: "writer", scopes: ["tasks:write", "tools:read"] };
    const { key } = (await post("/agents/keys", wanted)).body.data;
    expectError(await get(pathOf(file.url), { key }), 403, "INSUFFICIENT_SCOPE");
  });

  it("a deliverable can be read while its task is in review", async () => {
    const reviewed = await fileOf(await taskIn("review", { deliverables: ["summary"] }));
    expect((await get(pathOf(reviewed.url))).status).toBe(200);
  });

  it("a deliverable whose type has the maximum length can be read", async () => {
    const [long] = await filesOf(await taskIn("completed", { deliverables: ["é".repeat(128)] }));
    expect((await get(pathOf(long?.url ?? ""))).status).toBe(200);
  });

  it.each(["a/b", "..", "CON", "it's (1) *!~", "naïve plan", "50% off?", 'say "hi"', "<b>"])(
    "a deliverable of type %j can be read and has an encoded file name without slashes",
    async (type) => {
      const files = await filesOf(await taskIn("completed", { deliverables: [type] }));
      expect(files.length).toBeGreaterThan(0);
      for (const { url, name } of files) {
        expect(name).not.toMatch(/[/\\]/);
        const { status, headers } = await get(pathOf(url));
        expect(status).toBe(200);
        expect(headers.get("Content-Disposition")).toContain(
          `filename*=UTF-8''${encodeURIComponent(name).replaceAll(/['()*]/g, hexOf)}`,
        );
      }
    },
  );
});

describe("the charset of a file", () => {
  it.each([
    ["text/csv; charset=utf-8", "text/csv; charset=utf-8"],
    ['text/csv; charset="latin1"; header=present', 'text/csv; charset="latin1"; header=present'],
    ["text/csv", "text/csv"],
    ["text/csv; charset=klingon", "text/csv"],
    ['text/csv; a=b; Charset="x y"; c=d', "text/csv; a=b; c=d"],
    ["text/csv; charset=", "text/csv"],
  ])("a file of type %s is served as %s", (format, served) => {
    const { headers } = createFileResponse({ name: "a.csv", format }, new Uint8Array(), 0);
    expect(headers.get("Content-Type")).toBe(served);
  });
});
