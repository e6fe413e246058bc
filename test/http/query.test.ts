import { beforeAll, describe, expect, it } from "vitest";
import { get } from "../support/client.ts";
import { expectProblems } from "../support/refusals.ts";
import { create, stopClock } from "../support/tasks.ts";

let task = "";

/** Every parameter of every query. */
const PARAMETERS = Object.entries({
  "/agents/tools": ["category", "agentId", "search", "limit", "offset"],
  "/agents/tasks": [
    "status",
    "agentId",
    "teamId",
    "priority",
    "startDate",
    "endDate",
    "limit",
    "offset",
    "cursor",
  ],
  "/agents/keys": ["limit", "offset"],
  "/agents/tasks/:id": ["include"],
  "/agents/tasks/:id/events": ["after", "limit"],
}).flatMap(([path, names]) => names.map((name) => ({ path, name })));

beforeAll(async () => {
  stopClock();
  task = await create();
});

describe.each(PARAMETERS)("query of $path · $name", ({ path, name }) => {
  const at = () => path.replace(":id", task);

  it("given empty", async () => {
    expectProblems(await get(`${at()}?${name}=`), { [name]: "must not be empty" });
    expectProblems(await get(`${at()}?${name}`), { [name]: "must not be empty" });
  });

  it("given twice, even with the same value", async () => {
    expectProblems(await get(`${at()}?${name}=1&${name}=1`), {
      [name]: "must be given once, got it 2 times",
    });
  });

  it("given with U+0000", async () => {
    expectProblems(await get(`${at()}?${name}=a%00b`), { [name]: /U\+0000/ });
  });
});

describe("query", () => {
  it.each([
    ["/agents/tools", "category", "sailing", "development, data, communication"],
    ["/agents/tasks", "status", "PENDING", "pending, assigned, in_progress"],
    ["/agents/tasks", "priority", "asap", "low, medium, high, urgent"],
    ["/agents/tasks/:id", "include", "everything", "context"],
  ])("%s?%s=%s is told the words it may be", async (path, name, value, words) => {
    const answer = await get(`${path.replace(":id", task)}?${name}=${value}`);
    expectProblems(answer, { [name]: `got "${value}"` });
    expect(answer.body.error.details[0].message).toContain(words);
  });

  it("unknown parameters are ignored, however they are given", async () => {
    const plain = await get("/agents/tools?limit=2");
    const decorated = await get("/agents/tools?utm_source=&x=1&x=2&%00=%00&limit=2&Limit=x&[]=1");
    expect(decorated.status).toBe(200);
    expect(decorated.body.data).toEqual(plain.body.data);
  });

  it.each(["%", "%E0%A4%A", "%FF%FE", "100%"])("a search of %s, badly escaped", async (search) => {
    const { status, body } = await get(`/agents/tools?search=${search}`);
    expect(status).toBe(200);
    expect(body.data.total).toBe(0);
  });

  it("a plus sign is a space, an escaped one is a plus sign", async () => {
    expect((await get("/agents/tools?search=JSON+workbench")).body.data.total).toBe(1);
    expect((await get("/agents/tools?search=JSON%2Bworkbench")).body.data.total).toBe(0);
  });
});
