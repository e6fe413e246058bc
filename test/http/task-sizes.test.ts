import { beforeAll, describe, expect, it } from "vitest";
import { patch, post } from "../support/client.ts";
import { expectProblems } from "../support/expect-errors.ts";
import { create, read, stopClock, taskIn } from "../support/tasks.ts";

const KIB = 1_024;
const MIB = KIB * KIB;

/**
 * The value of `b` with which {"a":"…","b":"…"} has this many bytes, 15 of them outside the
 * strings.
 */
const second = (bytes: number, first: string) => "b".repeat(bytes - 15 - first.length);

describe("the sizes of a task's values", () => {
  beforeAll(stopClock);

  it("a budget of 64 KiB of JSON in UTF-8 is accepted, and one byte more is rejected", async () => {
    // {"note":""} takes 11 bytes, and é takes two.
    const budgetOf = (bytes: number) => ({ note: `${"é".repeat(100)}${"x".repeat(bytes - 211)}` });
    const send = (bytes: number) => post("/agents/tasks", { task: "x", budget: budgetOf(bytes) });
    expect((await send(64 * KIB)).status).toBe(201);
    expectProblems(await send(64 * KIB + 1), { budget: /65536 bytes .* 65537\b/ });
  });

  it("a context of 1 MiB after a PATCH is accepted, and one byte more is rejected", async () => {
    const a = "a".repeat(900 * KIB);
    const id = await create({ context: { a } });
    const refused = await patch(`/agents/tasks/${id}`, { context: { b: second(MIB + 1, a) } });
    expectProblems(refused, { context: /1048576 bytes .* 1048577\b/ });
    expect((await read(id)).contextBytes).toBe(a.length + 8);
    const { status, body } = await patch(`/agents/tasks/${id}`, { context: { b: second(MIB, a) } });
    expect([status, body.data.contextBytes]).toEqual([200, MIB]);
  });

  it("a context of 1 MiB after a retry is accepted, and one byte more is rejected", async () => {
    const a = "a".repeat(900 * KIB);
    const id = await taskIn("failed", { agentId: "researcher" });
    await patch(`/agents/tasks/${id}`, { context: { text: null, requireReview: null, a } });
    const retry = (bytes: number) =>
      post(`/agents/tasks/${id}/retry`, { context: { b: second(bytes, a) } });
    expectProblems(await retry(MIB + 1), { context: /1048576 bytes .* 1048577\b/ });
    expect((await read(id)).status).toBe("failed");
    expect((await retry(MIB)).body.data).toMatchObject({ status: "pending", contextBytes: MIB });
  });

  it("the size of a context counts numbers as they are stored, not as they are sent", async () => {
    // 1e15 takes 4 bytes in the request and 16 bytes in storage.
    const numbers = `[${Array.from({ length: 100_000 }, () => "1e15").join(",")}]`;
    const body = `{"task":"x","context":{"n":${numbers}}}`;
    expect(body.length).toBeLessThan(MIB);
    expectProblems(await post("/agents/tasks", body), { context: /would be 17000\d\d\b/ });
  });
});
