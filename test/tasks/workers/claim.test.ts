import { beforeAll, describe, expect, it } from "vitest";
import { get, post } from "../../support/client.ts";
import { keyWith } from "../../support/keys.ts";
import { expectProblems, expectError } from "../../support/expect-errors.ts";
import { create, read, stopClock, wake } from "../../support/tasks.ts";
import { typesOf } from "../../support/task-state.ts";
import { claim, claimOne, complete, setAgent, waitingTask, workerAgent } from "./fixtures.ts";

beforeAll(stopClock);

const idsOf = (tasks: readonly { taskId: string }[]) => tasks.map(({ taskId }) => taskId);
const ask = (body: Record<string, unknown>, key?: string) =>
  post(
    "/agents/tasks/claim",
    JSON.stringify({ waitSeconds: 0, ...body }),
    key === undefined ? {} : { key },
  );

describe("a claim", () => {
  it("a claim returns the most urgent tasks first, at most as many as requested", async () => {
    const agentId = await workerAgent();
    const [low, soon, later, urgent] = [
      await waitingTask(agentId, { priority: "low" }),
      await waitingTask(agentId, { deadline: "2031-01-01T00:00:00Z" }),
      await waitingTask(agentId),
      await waitingTask(agentId, { priority: "urgent" }),
    ];
    expect(idsOf(await claim(agentId, { max: 2 }))).toEqual([urgent, soon]);
    expect(idsOf(await claim(agentId, { max: 100 }))).toEqual([later, low]);
    expect(await claim(agentId)).toEqual([]);
  });

  it("a claim returns the complete context, even if it has 200,000 characters", async () => {
    const agentId = await workerAgent();
    const context = { text: "x".repeat(200_000) };
    await waitingTask(agentId, { context });
    expect((await claimOne(agentId)).context).toEqual(context);
  });

  it(
    "a claim returns only as many tasks as fit in a response, and the others can be claimed later",
    { timeout: 60_000 },
    async () => {
      const agentId = await workerAgent();
      const context = { text: "x".repeat(1_000_000) };
      for (let place = 0; place < 40; place += 1) await waitingTask(agentId, { context });
      const first = await claim(agentId, { max: 100 });
      expect(first.length).toBeGreaterThanOrEqual(8);
      expect(first.length).toBeLessThanOrEqual(12);
      const rest: string[] = [];
      while (rest.length < 40 - first.length)
        rest.push(...idsOf(await claim(agentId, { max: 100 })));
      expect(new Set([...idsOf(first), ...rest]).size).toBe(40);
    },
  );

  it("a claim that waits returns the first task that arrives", async () => {
    const agentId = await workerAgent();
    const claiming = ask({ agentId, waitSeconds: 20 });
    const id = await create({ agentId });
    await wake(id);
    expect(idsOf((await claiming).body.data.tasks)).toEqual([id]);
  });

  it("a claim that waits returns no tasks when its wait time is over", async () => {
    const agentId = await workerAgent();
    const { status, body } = await ask({ agentId, waitSeconds: 0.05 });
    expect([status, body.data]).toEqual([200, { tasks: [] }]);
  });

  it("concurrent claims never get the same task", async () => {
    const agentId = await workerAgent();
    const ids = await Promise.all(Array.from({ length: 10 }, () => waitingTask(agentId)));
    const claims = await Promise.all(Array.from({ length: 20 }, () => claim(agentId)));
    expect(idsOf(claims.flat()).toSorted()).toEqual(ids.toSorted());
    const tokens = claims.flat().map(({ lease }) => lease.token);
    expect(new Set(tokens).size).toBe(10);
    for (const id of ids) expect(await typesOf(id)).toEqual(["created", "assigned", "started"]);
  });

  it("a claim respects the agent's limit of concurrent tasks", async () => {
    const agentId = await workerAgent({ maxConcurrentTasks: 2 });
    for (let place = 0; place < 3; place += 1) await waitingTask(agentId);
    const [first] = await claim(agentId, { max: 3 });
    expect(await claim(agentId, { max: 3 })).toEqual([]);
    await complete(first.taskId, first.lease.token);
    expect(await claim(agentId, { max: 3 })).toHaveLength(1);
  });
});

describe("the keys that may claim", () => {
  it("an agent's key can claim the agent's tasks without naming the agent", async () => {
    const agentId = await workerAgent();
    const id = await waitingTask(agentId);
    const key = await keyWith(["tasks:work"], { agentId });
    expect(idsOf((await ask({}, key)).body.data.tasks)).toEqual([id]);
    expect((await post("/agents/tasks/claim", { waitSeconds: 0, agentId }, { key })).status).toBe(
      200,
    );
  });

  it("another agent's key cannot claim, whether or not the named agent exists", async () => {
    const [agentId, other] = [await workerAgent(), await workerAgent()];
    const id = await waitingTask(agentId);
    const key = await keyWith(["tasks:work"], { agentId: other });
    for (const name of [agentId, "stranger"]) {
      const answer = await ask({ agentId: name }, key);
      expectError(answer, 403, "AGENT_MISMATCH");
      expect(answer.body.error.message).toContain(`bound to agent ${other}`);
    }
    expect((await read(id)).status).toBe("assigned");
  });

  it("a team's key cannot claim its agents' tasks", async () => {
    const agentId = await workerAgent({ teams: ["insights"] });
    const id = await waitingTask(agentId);
    const key = await keyWith(["tasks:work", "tasks:read"], { teamId: "insights" });
    const answer = await ask({ agentId }, key);
    expectError(answer, 403, "AGENT_MISMATCH");
    expect(answer.body.error.message).toContain("bound to the agent");
    expectError(await ask({ agentId: "stranger" }, key), 403, "AGENT_MISMATCH");
    expectError(await ask({}, key), 403, "AGENT_MISMATCH");
    expect((await read(id)).status).toBe("assigned");
  });

  it("a claim with a key that is not bound to an agent must name the agent", async () => {
    expectProblems(await ask({}), {
      agentId: "is required because this key is not bound to an agent",
    });
  });

  it("a key without the scope tasks:work cannot claim", async () => {
    const agentId = await workerAgent();
    const key = await keyWith(["tasks:read", "tasks:write"], { agentId });
    expectError(await ask({}, key), 403, "INSUFFICIENT_SCOPE");
  });
});

describe("an agent whose tasks cannot be claimed", () => {
  it("a claim for an unknown agent returns 404", async () => {
    expectError(await ask({ agentId: "stranger" }), 404, "AGENT_NOT_FOUND");
  });

  it("a claim for an agent that is not a worker is rejected", async () => {
    expectProblems(await ask({ agentId: "researcher" }), {
      agentId: /executor type worker; "researcher" has type builtin$/,
    });
  });

  it("a claim for a disabled agent is rejected", async () => {
    const agentId = await workerAgent();
    await setAgent(agentId, { enabled: false });
    expectError(await ask({ agentId }), 403, "AGENT_DISABLED");
  });
});

describe("an invalid claim", () => {
  it.each<[string, Record<string, unknown>, Record<string, RegExp>]>([
    ["a max of 0", { max: 0 }, { max: /at least 1, got 0/ }],
    ["a max that is too large", { max: 101 }, { max: /at most 100, got 101/ }],
    ["a max that is not an integer", { max: 1.5 }, { max: /int/ }],
    ["a negative wait", { waitSeconds: -1 }, { waitSeconds: /at least 0/ }],
    ["a wait that is too long", { waitSeconds: 20.5 }, { waitSeconds: /at most 20/ }],
    ["a lease that is too short", { leaseSeconds: 4 }, { leaseSeconds: /at least 5/ }],
    ["a lease that is too long", { leaseSeconds: 3_601 }, { leaseSeconds: /at most 3600/ }],
    ["a lease as text", { leaseSeconds: "60" }, { leaseSeconds: /must be/ }],
    ["an empty worker name", { worker: "" }, { worker: /not be empty/ }],
    ["a worker name that is too long", { worker: "w".repeat(201) }, { worker: /at most 200/ }],
    ["an invalid agent id", { agentId: "" }, { agentId: /not be empty/ }],
    ["null", { agentId: null }, { agentId: /must be/ }],
    ["an unknown field", { priority: "high" }, { priority: /known fields: agentId, worker, max/ }],
    ["several invalid fields", { max: 0, leaseSeconds: 1 }, { max: /./, leaseSeconds: /./ }],
  ])(
    "an invalid claim (%s) is rejected, and the error names the fields",
    async (_, body, problems) => {
      expectProblems(await ask({ agentId: "hands-1", ...body }), problems);
    },
  );

  it("a claim whose body is not a JSON object is rejected", async () => {
    expectError(await post("/agents/tasks/claim", "{"), 400, "INVALID_JSON");
    expectError(await post("/agents/tasks/claim", "[]"), 400, "VALIDATION_ERROR");
  });

  it("GET /agents/tasks/claim returns 405 instead of a task", async () => {
    const answer = await get("/agents/tasks/claim");
    expectError(answer, 405, "METHOD_NOT_ALLOWED");
    expect(answer.headers.get("Allow")).toBe("POST, OPTIONS");
  });
});
