import { beforeAll, describe, expect, it } from "vitest";
import type { Json } from "../../src/kernel/json.ts";
import { patch, post } from "../support/client.ts";
import { expectProblems } from "../support/expect-errors.ts";
import { create, passTime, read, setClock, stopClock } from "../support/tasks.ts";

const created = (deadline: Json) => post("/agents/tasks", { task: "x", deadline });
const RULE = "must be an ISO 8601 date-time with a time zone, such as 2030-01-31T12:00:00Z";

describe("deadline", () => {
  const year = new Date().getUTCFullYear() + 1;

  beforeAll(() => {
    stopClock();
    setClock(`${year}-03-15T12:00:00.000Z`);
  });

  it.each([
    [`${year}-03-15T12:00:00.001Z`, `${year}-03-15T12:00:00.001Z`],
    [`${year}-06-01T00:00:00+14:00`, `${year}-05-31T10:00:00.000Z`],
    [`${year}-06-01T00:00:00-11:30`, `${year}-06-01T11:30:00.000Z`],
    [`${year}-06-01T00:00:00.123456789Z`, `${year}-06-01T00:00:00.123Z`],
    [`${year + 5}-03-15T12:00:00.000Z`, `${year + 5}-03-15T12:00:00.000Z`],
  ])("the deadline %s is accepted as %s", async (given, instant) => {
    expect((await created(given)).body.data.deadline).toBe(instant);
  });

  it.each([
    ["now", `${year}-03-15T12:00:00.000Z`],
    ["a millisecond ago", `${year}-03-15T11:59:59.999Z`],
    ["now, in another zone", `${year}-03-15T13:00:00+01:00`],
    ["in 1970", "1970-01-01T00:00:00Z"],
  ])("a deadline in the past is rejected: %s", async (_, deadline) => {
    const got = new Date(deadline).toISOString();
    const problem = { deadline: `must be in the future, got ${got}` };
    expectProblems(await created(deadline), problem);
    expectProblems(await patch(`/agents/tasks/${await create()}`, { deadline }), problem);
  });

  it.each([`${year + 5}-03-15T12:00:00.001Z`, "9999-12-31T23:59:59Z"])(
    "a deadline more than five calendar years ahead is rejected: %s",
    async (deadline) => {
      const got = new Date(deadline).toISOString();
      const problem = { deadline: `must be at most 5 years from now, got ${got}` };
      expectProblems(await created(deadline), problem);
      expectProblems(await patch(`/agents/tasks/${await create()}`, { deadline }), problem);
    },
  );

  it.each([
    ["without a zone", `${year}-06-01T00:00:00`],
    ["without a time", `${year}-06-01`],
    ["with a day that does not exist", `${year}-02-30T00:00:00Z`],
    ["on 29 February of a common year", "2027-02-29T00:00:00Z"],
    ["with the month 13", `${year}-13-01T00:00:00Z`],
    ["with the hour 24", `${year}-06-01T24:00:00Z`],
    ["with a leap second", `${year}-06-30T23:59:60Z`],
    ["with a zone of 24 hours", `${year}-06-01T00:00:00+24:00`],
    ["with a zone's name", `${year}-06-01T00:00:00 Europe/Berlin`],
    ["in words", "tomorrow"],
    ["in RFC 2822", `Mon, 01 Jun ${year} 00:00:00 GMT`],
    ["between spaces", ` ${year}-06-01T00:00:00Z `],
    ["with a five-digit year", "+012345-01-01T00:00:00Z"],
    ["that is empty", ""],
  ])("a deadline %s is rejected with the rule for deadlines", async (_, deadline) => {
    expectProblems(await created(deadline), { deadline: `${RULE}, got "${deadline}"` });
  });

  it.each([1_893_456_000_000, true, [], {}])("the deadline %j is rejected", async (deadline) => {
    const got = `got ${JSON.stringify(deadline)}`;
    expectProblems(await created(deadline), {
      deadline: new RegExp(got.replaceAll(/[[\]{}]/g, "\\$&")),
    });
  });

  it("a rejected deadline leaves the task unchanged", async () => {
    const id = await create({ deadline: `${year}-06-01T00:00:00Z` });
    await patch(`/agents/tasks/${id}`, { deadline: "1970-01-01T00:00:00Z", priority: "urgent" });
    expect(await read(id)).toMatchObject({
      deadline: `${year}-06-01T00:00:00.000Z`,
      priority: "medium",
    });
  });

  it("a deadline is enforced on the next read, to the millisecond", async () => {
    const id = await create({ deadline: new Date(Date.now() + 5_000).toISOString() });
    passTime(4_999);
    expect((await read(id)).status).toBe("pending");
    passTime(1);
    expect(await read(id)).toMatchObject({
      status: "failed",
      error: { code: "DEADLINE_EXCEEDED" },
    });
  });
});
