import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { listMissing, listOperations } from "../../scripts/examples/document.ts";
import { differOnlyInTime, replaceValues } from "../../scripts/examples/replace-values.ts";

const EXAMPLES = readFileSync("src/interfaces/openapi/examples.json", "utf8");
const TASK = "a1".repeat(32);
const KEY = "b2".repeat(8);

it("ids are replaced in order, equal ids with equal ids, and hashes of files are kept", () => {
  const recorded = { taskId: TASK, url: `/agents/tasks/${TASK}`, id: KEY, sha256: TASK };
  const { taskId, url, id, sha256 } = replaceValues(recorded, new Map());
  expect(taskId).toMatch(/^[0-9a-f]{64}$/);
  expect(id).toMatch(/^[0-9a-f]{16}$/);
  expect([taskId, id]).not.toContain(TASK);
  expect(url).toBe(`/agents/tasks/${taskId}`);
  expect(sha256).toBe(TASK);
  const another = JSON.parse(JSON.stringify(recorded).replaceAll("a1a1", "c3c3"));
  expect(replaceValues(another, new Map()).taskId).toBe(taskId);
});

it("origins are replaced with reserved host names", () => {
  const origins = new Map([["http://127.0.0.1:4711", "https://bosun.example.com"]]);
  expect(replaceValues({ url: "http://127.0.0.1:4711/a" }, origins)).toEqual({
    url: "https://bosun.example.com/a",
  });
});

it("recordings that differ only in times and durations are equal", () => {
  const one = { at: "2026-11-26T21:16:17.502Z", duration: "5ms", durationMs: 5, name: "a" };
  const later = { ...one, at: "2026-11-27T01:00:00.000Z", duration: "1s", durationMs: 9 };
  expect(differOnlyInTime(one, later)).toBe(true);
  expect(differOnlyInTime(one, { ...later, name: "b" })).toBe(false);
  expect(differOnlyInTime(one, undefined)).toBe(false);
});

it("a secret is replaced with readable text, and the examples contain no other secret", () => {
  const random = {
    key: `bsn_${KEY}_${TASK}`,
    secret: "whsec_lBXPR48i2625kVKTYVApLiRZ8M7CvnzOAkb05j0ti+Y=",
    nextCursor: "MTc5NTMwMDA4OTYwODAwMC53Zi1vR0Vrend5",
    url: "/a?expires=1&signature=EwTMKKr8MqAsVds49a6YH-FuB49cAb5sfRbnMJdyAzU",
  };
  const { key, secret, nextCursor, url } = replaceValues(random, new Map());
  const says = (text = "", encoding: "hex" | "base64url") =>
    expect(Buffer.from(text, encoding).toString()).toBe("this is an example, not a secret");
  says(key.split("_")[2], "hex");
  says(secret.slice("whsec_".length), "base64url");
  says(nextCursor, "base64url");
  says(url.split("signature=")[1], "base64url");
  for (const [, shown] of EXAMPLES.matchAll(/bsn_[0-9a-f]+_([0-9a-f]+)/g)) says(shown, "hex");
  for (const [, shown] of EXAMPLES.matchAll(/(?:whsec_|signature=|ticket=)([\w+/=.-]+)/g)) {
    says(shown, "base64url");
  }
});

it("operations, statuses and streams without a recording are reported", () => {
  const json = { schema: { properties: { success: {}, data: {} } } };
  const operation = (operationId: string) => ({
    operationId,
    responses: {
      "200": { content: { "application/json": json, "text/event-stream": {} } },
      "201": { content: { "application/json": json } },
      "404": { content: { "application/json": json } },
    },
  });
  const paths = { "/a": { get: operation("readA"), put: operation("putA") } };
  const entries = { putA: { responses: { "201": {} } } };
  expect(listMissing(listOperations({ paths }), entries)).toEqual([
    "readA",
    "putA 200",
    "putA stream",
  ]);
});
