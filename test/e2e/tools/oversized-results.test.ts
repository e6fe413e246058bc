import { beforeAll, describe, expect, it } from "vitest";
import { get, ROOT } from "../../support/client.ts";
import { queryCapability, invoke, registerHttpTool } from "../../support/server-tools.ts";
import { expectError } from "../../support/expect-errors.ts";
import { passTime, stopClock } from "../../support/tasks.ts";

const LIMIT = 128 * 1024;

beforeAll(async () => {
  stopClock();
  await registerHttpTool("documents", "wide", [queryCapability("numbers", "/ranges", "bytes")]);
});

const numbers = (bytes: number) => invoke("wide", "numbers", { bytes: String(bytes) });

describe("a result over 128 KiB", () => {
  it("a result over 128 KiB is replaced with its beginning, size and SHA-256, and a link to the complete result", async () => {
    const { status, body, text } = await numbers(200_000);
    expect(status, text.slice(0, 300)).toBe(200);
    const { result } = body.data;
    expect(Object.keys(result).toSorted()).toEqual(
      ["downloadUrl", "expiresAt", "oversized", "preview", "sha256", "size"].toSorted(),
    );
    const link = new URL(result.downloadUrl);
    const file = await get(`${link.pathname}${link.search}`, { key: null });
    expect(file.status).toBe(200);
    expect(file.text).toHaveLength(result.size);
    expect(file.text.startsWith(result.preview)).toBe(true);
    expect(file.body.body.numbers).toHaveLength(200_000);
    const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(file.text));
    const hex = Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, "0"));
    expect(result.sha256).toBe(hex.join(""));
    expect(file.headers.get("Content-Disposition")).toContain("attachment");
    expect(file.headers.get("X-Content-Type-Options")).toBe("nosniff");
  });

  it("a result is oversized if it is one byte above the limit", async () => {
    const inline = await numbers(1_000);
    const around = JSON.stringify(inline.body.data.result).length - 1_000;
    const atLimit = await numbers(LIMIT - around);
    expect(atLimit.body.data.result.oversized).toBeUndefined();
    const above = await numbers(LIMIT - around + 1);
    expect(above.body.data.result).toMatchObject({ oversized: true, size: LIMIT + 1 });
  });

  it("an oversized result can be read only through its link, for an hour", async () => {
    const { result } = (await numbers(200_000)).body.data;
    const { pathname, search } = new URL(result.downloadUrl);
    expectError(await get(pathname, { key: null }), 401, "AUTHENTICATION_FAILED");
    expectError(await get(pathname, { key: ROOT }), 401, "AUTHENTICATION_FAILED");
    const other = pathname.replace("/wide/", "/other/");
    expectError(await get(`${other}${search}`, { key: null }), 401, "AUTHENTICATION_FAILED");
    expect((await get(`${pathname}${search}`)).status).toBe(200);
    passTime(3_600_000 + 1_000);
    const late = await get(`${pathname}${search}`, { key: null });
    expectError(late, 401, "AUTHENTICATION_FAILED");
  });
});
