import { beforeAll, describe, expect, it } from "vitest";
import { del, get, patch, post, type Answer } from "../support/client.ts";
import { expectProblems } from "../support/expect-errors.ts";
import { create, stopClock, taskIn } from "../support/tasks.ts";

/** The ids of the tasks that these tests use, by status. */
const tasks = { blocked: "", completed: "", pending: "", review: "" };

interface Limited {
  readonly path: string;
  readonly charactersMax: number;
  readonly send: (text: string) => Promise<Answer>;
}

const BODY_FIELDS: readonly Limited[] = [
  {
    path: "task",
    charactersMax: 4_000,
    send: (task) => post("/agents/tasks", { task }),
  },
  {
    path: "agentId",
    charactersMax: 128,
    send: (agentId) => post("/agents/tasks", { task: "x", agentId }),
  },
  {
    path: "teamId",
    charactersMax: 128,
    send: (teamId) => post("/agents/tasks", { task: "x", teamId }),
  },
  {
    path: "deliverables[1]",
    charactersMax: 128,
    send: (type) => post("/agents/tasks", { task: "x", deliverables: ["report", type] }),
  },
  {
    path: "notes",
    charactersMax: 10_000,
    send: (notes) => patch(`/agents/tasks/${tasks.pending}`, { notes }),
  },
  {
    path: "reason",
    charactersMax: 5_000,
    send: async (reason) => post(`/agents/tasks/${await create()}/cancel`, { reason }),
  },
  {
    path: "response",
    charactersMax: 5_000,
    send: (response) => post(`/agents/tasks/${tasks.blocked}/respond`, { response }),
  },
  {
    path: "comment",
    charactersMax: 5_000,
    send: (comment) =>
      post(`/agents/tasks/${tasks.review}/review`, { decision: "approve", comment }),
  },
  {
    path: "feedback",
    charactersMax: 5_000,
    send: (feedback) => post(`/agents/tasks/${tasks.completed}/feedback`, { rating: 4, feedback }),
  },
  {
    path: "issues[0]",
    charactersMax: 5_000,
    send: (issue) =>
      post(`/agents/tasks/${tasks.completed}/feedback`, { rating: 4, issues: [issue] }),
  },
  {
    path: "agentId",
    charactersMax: 128,
    send: (agentId) => post("/agents/tools/access", { agentId, toolId: "json-workbench" }),
  },
  {
    path: "toolId",
    charactersMax: 128,
    send: (toolId) => post("/agents/tools/access", { agentId: "strings", toolId }),
  },
  {
    path: "capabilities[0]",
    charactersMax: 128,
    send: (capability) =>
      post("/agents/tools/access", {
        agentId: "strings",
        toolId: "json-workbench",
        capabilities: [capability],
      }),
  },
  {
    path: "capability",
    charactersMax: 128,
    send: (capability) =>
      post("/agents/tools/json-workbench/invoke", { capability, parameters: {} }),
  },
  {
    path: "agentId",
    charactersMax: 128,
    send: (agentId) =>
      post("/agents/tools/json-workbench/invoke", {
        capability: "diff",
        parameters: { before: "1", after: "2" },
        agentId,
      }),
  },
  {
    path: "name",
    charactersMax: 200,
    send: (name) => post("/agents/keys", { name, scopes: ["tools:read"] }),
  },
  {
    path: "agentId",
    charactersMax: 128,
    send: (agentId) => post("/agents/keys", { name: "x", scopes: ["tools:read"], agentId }),
  },
  {
    path: "teamId",
    charactersMax: 128,
    send: (teamId) => post("/agents/keys", { name: "x", scopes: ["tools:read"], teamId }),
  },
];

const QUERY_PARAMETERS: readonly Limited[] = [
  { path: "search", charactersMax: 200, send: (text) => get(`/agents/tools?search=${text}`) },
  { path: "agentId", charactersMax: 128, send: (id) => get(`/agents/tools?agentId=${id}`) },
  { path: "agentId", charactersMax: 128, send: (id) => get(`/agents/tasks?agentId=${id}`) },
  { path: "teamId", charactersMax: 128, send: (id) => get(`/agents/tasks?teamId=${id}`) },
];

const PATH_PARAMETERS: readonly Limited[] = [
  { path: "id", charactersMax: 128, send: (id) => get(`/agents/tools/${id}`) },
  { path: "agentId", charactersMax: 128, send: (id) => get(`/agents/tools/access/${id}`) },
  { path: "toolId", charactersMax: 128, send: (id) => del(`/agents/tools/access/strings/${id}`) },
  { path: "id", charactersMax: 128, send: (id) => get(`/agents/tasks/${id}`) },
  { path: "id", charactersMax: 128, send: (id) => post(`/agents/tasks/${id}/cancel`) },
  { path: "id", charactersMax: 128, send: (id) => get(`/agents/tasks/${id}/deliverables`) },
  { path: "id", charactersMax: 128, send: (id) => del(`/agents/keys/${id}`) },
];

/** Asserts that the string's length is accepted. The resource that it names need not exist. */
function expectFits(answer: Answer): void {
  expect([200, 201, 404], answer.text).toContain(answer.status);
}

describe("limits of strings", () => {
  beforeAll(async () => {
    stopClock();
    for (const status of ["blocked", "completed", "pending", "review"] as const) {
      tasks[status] = await taskIn(status);
    }
  });

  it.each([...BODY_FIELDS, ...QUERY_PARAMETERS, ...PATH_PARAMETERS])(
    "$path accepts $charactersMax characters and rejects one more",
    async ({ path, charactersMax, send }) => {
      const longer = await send("x".repeat(charactersMax + 1));
      expectProblems(longer, { [path]: new RegExp(`\\b${charactersMax}\\b`) });
      expectFits(await send("x".repeat(charactersMax)));
    },
  );

  it.each(BODY_FIELDS)("an empty $path is rejected", async ({ path, send }) => {
    expectProblems(await send(""), { [path]: /\S/ });
  });

  it("a task of only white space is rejected", async () => {
    expectProblems(await post("/agents/tasks", { task: " \n\t " }), {
      task: "must describe the work",
    });
  });

  it("an error shows the rejected value, truncated to 80 characters", async () => {
    const priority = "p".repeat(120);
    const { details } = (await post("/agents/tasks", { task: "x", priority })).body.error;
    expect(details[0].message).toContain(`got "${"p".repeat(79)}…`);
  });

  it("a task's notes can contain 100,000 characters, including the line breaks between them", async () => {
    const id = await create();
    const add = (characters: number) =>
      patch(`/agents/tasks/${id}`, { notes: "n".repeat(characters) });
    for (let time = 0; time < 9; time += 1) expect((await add(10_000)).status).toBe(200);
    // 90,000 characters and 8 line breaks are stored. The next note adds one more line break.
    expectProblems(await add(9_992), { notes: /at most 100000 .* 100001\b/ });
    const { status, body } = await add(9_991);
    expect(status).toBe(200);
    expect(body.data.notes).toHaveLength(100_000);
  });
});

describe("ids chosen by users", () => {
  const grant = (agentId: string) =>
    post("/agents/tools/access", { agentId, toolId: "json-workbench" });

  it.each(["a", "Agent-7", "team:lead@example.org", "0.1_b"])(
    "the id %s is accepted for an agent",
    async (id) => {
      expect((await grant(id)).status).toBe(201);
    },
  );

  it.each(["-a", ".a", "a b", "a/b", "é", "a\n", "a?b"])(
    "the id %j is rejected for an agent",
    async (id) => {
      expectProblems(await grant(id), { agentId: `got ${JSON.stringify(id)}` });
    },
  );

  it.each(["tools", "tasks", "keys", "teams", "events", "webhooks"])(
    "the id %s is rejected because the API reserves it",
    async (id) => {
      expectProblems(await grant(id), { agentId: /reserved/ });
    },
  );
});

describe("URL", () => {
  const prefix = "https://bosun.test/agents/tools?x=";
  const urlOf = (bytes: number) => `/agents/tools?x=${"x".repeat(bytes - prefix.length)}`;

  it("a URL of 8,192 bytes is read, and its parameters are validated", async () => {
    const { status, body } = await get(urlOf(8_192));
    expect([status, body.error.code]).toEqual([400, "VALIDATION_ERROR"]);
  });

  it("a URL of 8,193 bytes gets 414", async () => {
    const { status, body } = await get(urlOf(8_193));
    expect([status, body.error.code]).toEqual([414, "URI_TOO_LONG"]);
    expect(body.error.message).toContain("8192");
  });

  it("a URL's length counts bytes as they are sent, so a non-ASCII letter counts as more than one", async () => {
    const path = `/agents/tools?x=${"é".repeat(2_000)}`;
    expect((await get(path)).status).toBe(414);
  });
});
