import { env } from "cloudflare:workers";
import { beforeAll, describe, expect, it } from "vitest";
import type { JsonObject } from "../../../src/kernel/json.ts";
import { get, patch } from "../../support/client.ts";
import { expectProblems } from "../../support/expect-errors.ts";
import { keyWith, UNMANAGING } from "../../support/keys.ts";
import { create, passTime, stopClock } from "../../support/tasks.ts";
import { workerAgent } from "../workers/fixtures.ts";

beforeAll(stopClock);

let agentId: string;
const names = new Map<string, string>();

async function make(name: string, body: JsonObject): Promise<void> {
  passTime(1_000);
  names.set(await create({ agentId, labels: { suite: "search" }, ...body }), name);
}

beforeAll(async () => {
  agentId = await workerAgent();
  await make("sales", { title: "Harbour Sales", task: "xyzzy" });
  await make("text", { task: "  \n Summarise the HARBOUR log\nwith 100% care" });
  await make("percent", { title: "100% off" });
  await make("underscore", { title: "a_b" });
  await make("letters", { title: "axb" });
  await make("quotes", { title: `it's "so" \\ here; --` });
  await make("umlaut", { title: "Überfahrt" });
  await make("ship", { title: "\u{1F6A2} ship" });
  await make("wide", { title: "\uFF21 wide" });
  await make("again", { title: "harbour sales" });
});

/** Reads a whole list of the suite's tasks in pages. Returns their names. */
async function walk(query: string, limit = 3): Promise<string[]> {
  const found: string[] = [];
  let cursor = "";
  do {
    const path = `/agents/tasks?label=suite:search&limit=${limit}&${query}${cursor}`;
    const { status, text, body } = await get(path);
    if (status !== 200) throw new Error(text);
    for (const { taskId } of body.data.tasks) found.push(names.get(taskId) ?? taskId);
    cursor = body.data.nextCursor === null ? "" : `&cursor=${body.data.nextCursor}`;
  } while (cursor !== "");
  return found;
}

describe("search", () => {
  it.each([
    ["harbour", ["again", "text", "sales"]],
    ["HARBOUR S", ["again", "sales"]],
    ["xyzzy", []],
    ["100%", ["percent", "text"]],
    ["%", ["percent", "text"]],
    ["_", ["underscore"]],
    ["a_b", ["underscore"]],
    ["it's", ["quotes"]],
    [`"so" \\`, ["quotes"]],
    ["; --", ["quotes"]],
    ["' OR 1=1 --", []],
    ["Überfahrt", ["umlaut"]],
    ["überfahrt", []],
    ["BERFAHRT", ["umlaut"]],
    ["\u{1F6A2}", ["ship"]],
    [" ", ["again", "wide", "ship", "quotes", "percent", "text", "sales"]],
    ["x".repeat(200), []],
  ])("%j finds %j, newest first", async (text, expected) => {
    expect(await walk(`search=${encodeURIComponent(text)}`)).toEqual(expected);
  });

  it("a search is combined with the other filters, and its total is that of the matches", async () => {
    expect(await walk(`search=harbour&status=failed`)).toEqual([]);
    expect(await walk(`search=harbour&status=pending,failed&agentId=${agentId}`)).toEqual([
      "again",
      "text",
      "sales",
    ]);
    const { body } = await get("/agents/tasks?label=suite:search&search=harbour&limit=1");
    expect(body.data).toMatchObject({ total: 3, totalExact: true });
  });

  it("a search follows a changed title", async () => {
    const id = await create({ title: "Before" });
    await patch(`/agents/tasks/${id}`, { title: "After the change" });
    const found = async (search: string): Promise<number> =>
      (await get(`/agents/tasks?search=${search}`)).body.data.total;
    expect(await found("after%20the%20change")).toBe(1);
    expect(await found("before")).toBe(0);
  });

  it("a bound key finds only the tasks that it sees", async () => {
    const key = await keyWith(UNMANAGING, { agentId: await workerAgent() });
    const { body } = await get("/agents/tasks?search=harbour&sort=title", { key });
    expect(body.data).toMatchObject({ tasks: [], total: 0 });
  });
});

describe("sort", () => {
  const BY_TITLE = [
    "percent",
    "underscore",
    "letters",
    "again",
    "sales",
    "quotes",
    "text",
    "umlaut",
    "wide",
    "ship",
  ];

  it.each([1, 3, 100])(
    "tasks are sorted by title in pages of %d, in both directions",
    async (limit) => {
      expect(await walk("sort=title", limit)).toEqual(BY_TITLE);
      // Tasks with the same title stay newest first.
      const reversed = BY_TITLE.toReversed().map((name) =>
        name === "sales" ? "again" : name === "again" ? "sales" : name,
      );
      expect(await walk("sort=-title", limit)).toEqual(reversed);
    },
  );

  it("the default is newest first", async () => {
    expect(await walk("sort=-createdAt")).toEqual([...names.values()].toReversed());
    expect(await walk("")).toEqual([...names.values()].toReversed());
  });

  it("a sorted list is combined with a search and an offset", async () => {
    expect(await walk("sort=title&search=harbour")).toEqual(["again", "sales", "text"]);
    const { body } = await get("/agents/tasks?label=suite:search&sort=title&offset=8");
    expect(body.data.tasks.map(({ taskId }: { taskId: string }) => names.get(taskId))).toEqual([
      "wide",
      "ship",
    ]);
  });

  it("more than a hundred tasks with few different titles appear once each, in order", async () => {
    await env.DB.prepare(
      `WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 149)
       INSERT INTO directory (id, seq, status, task, title, team_id, priority, attempt, created_at)
       SELECT printf('f%063x', i), 9, 'failed', 'Text', CASE i % 3 WHEN 0 THEN 'Same' WHEN 1 THEN 'same' ELSE '\u{1F6A2}' || char(66 + i % 2) END,
              'tied', 'medium', 1, 1600000000000 + i / 5 FROM n`,
    ).run();
    for (const sort of ["title", "-title"]) {
      const keys: string[] = [];
      const ids = new Set<string>();
      let cursor = "";
      do {
        const path = `/agents/tasks?teamId=tied&sort=${sort}&limit=7${cursor}`;
        const { body } = await get(path, { documented: false });
        for (const { taskId, title } of body.data.tasks) {
          ids.add(taskId);
          keys.push(title.toLowerCase());
        }
        cursor = body.data.nextCursor === null ? "" : `&cursor=${body.data.nextCursor}`;
      } while (cursor !== "");
      expect([ids.size, keys.length]).toEqual([150, 150]);
      const sorted = keys.toSorted((one, other) =>
        Buffer.compare(Buffer.from(one), Buffer.from(other)),
      );
      expect(keys).toEqual(sort === "title" ? sorted : sorted.toReversed());
    }
  });

  it("a cursor is valid only with its own order and search", async () => {
    const { body } = await get("/agents/tasks?sort=title&search=a&limit=1");
    const { nextCursor } = body.data;
    expect((await get(`/agents/tasks?sort=title&search=a&cursor=${nextCursor}`)).status).toBe(200);
    for (const query of ["sort=title", "search=a", "sort=-title&search=a", "sort=title&search=b"]) {
      expectProblems(await get(`/agents/tasks?${query}&cursor=${nextCursor}`), {
        cursor: /^must be a nextCursor from a request with the same filters and sort/,
      });
    }
  });

  it("a cursor can follow a text of 200 four-byte characters, which is the longest key", async () => {
    const task = "\u{1F6A2}".repeat(200);
    for (const label of ["a", "b"]) await create({ task, labels: { long: label, longest: "" } });
    const { body } = await get("/agents/tasks?label=longest:&sort=title&limit=1");
    const path = `/agents/tasks?label=longest:&sort=title&limit=1&cursor=${body.data.nextCursor}`;
    const next = await get(path);
    expect(next.body.data.tasks).toHaveLength(1);
    expect(next.body.data.nextCursor).toBeNull();
  });
});

it.each([
  ["search=", "search"],
  [`search=${"x".repeat(201)}`, "search"],
  ["search=a&search=b", "search"],
  ["search=%00", "search"],
  ["sort=", "sort"],
  ["sort=Title", "sort"],
  ["sort=createdAt", "sort"],
  ["sort=title&sort=-title", "sort"],
])("the query %s is rejected", async (query, path) => {
  const answer = await get(`/agents/tasks?${query}`);
  expect(answer.status).toBe(400);
  expect(answer.body.error.details).toMatchObject([{ path }]);
});
