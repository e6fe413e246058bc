import { beforeAll, describe, expect, it } from "vitest";
import { SCOPES, type Scope } from "../../src/keys/model/key.ts";
import { post, send } from "../support/client.ts";
import { create, passTime, stopClock, wake } from "../support/tasks.ts";
import { rest, rpc } from "./a2a-endpoints.ts";
import { sendRequest, type RequestSpec } from "./send-request.ts";
import { must, registerTenants, OWN_TENANT, OTHER_TENANT, taskOf } from "./tenants.ts";
import { forgetKeyKinds, holdableScopes, keyKindOf, BOUNDS, type Bound } from "./key-kinds.ts";
import { called, mcp } from "./mcp-endpoints.ts";
import { reading } from "./request-pairs.ts";

/** Longer than the delay with which a task publishes to the feed. */
const FEED_WAIT_MS = 11_000;
/** The tasks of this file, grouped by which bound keys can see them. */
const tasks = { own: [""], agents: [""], teams: [""], rival: [""], nobodys: [""] };
const WORKER_AGENT = "hand";

beforeAll(async () => {
  stopClock();
  forgetKeyKinds();
  await registerTenants();
  tasks.own = [
    (await taskOf(OWN_TENANT, "completed")).id,
    (await taskOf(OWN_TENANT, "waiting")).id,
  ];
  tasks.rival = [
    (await taskOf(OTHER_TENANT, "review")).id,
    (await taskOf(OTHER_TENANT, "waiting")).id,
  ];
  must(await post("/agents", { id: WORKER_AGENT, executor: { type: "worker" } }));
  must(
    await send("PUT", `/agents/teams/${OWN_TENANT.teamId}`, {
      agents: [OWN_TENANT.agentId, WORKER_AGENT],
    }),
  );
  tasks.agents = [await create({ agentId: OWN_TENANT.agentId })];
  tasks.teams = [await create({ agentId: WORKER_AGENT, teamId: OWN_TENANT.teamId })];
  tasks.nobodys = [await create({ agentId: "researcher" })];
  // The alarm does the task's pending work, which includes publishing to the feed.
  for (const id of [...tasks.agents, ...tasks.teams, ...tasks.nobodys]) await wake(id);
  passTime(FEED_WAIT_MS);
  for (const id of Object.values(tasks).flat()) await wake(id);
});

async function answerTo(bound: Bound, asked: RequestSpec): Promise<unknown> {
  const { authorization } = await keyKindOf(bound, holdableScopes(bound));
  const answer = await sendRequest(asked, authorization);
  expect(answer.status, answer.text).toBe(200);
  return answer.body;
}

/** Which of these ids appear in a response. */
function among(ids: readonly string[], answer: unknown): string[] {
  const text = JSON.stringify(answer);
  return ids.filter((id) => text.includes(id)).toSorted();
}

/** Operations that list tasks or their events, in all protocols. */
const LISTS: readonly (readonly [title: string, asked: RequestSpec])[] = [
  ["GET /agents/tasks", reading("/agents/tasks?limit=100")],
  ["GET /agents/events", reading("/agents/events?from=oldest&limit=100")],
  ["MCP list_tasks", called("list_tasks", { limit: 100 })],
  ["A2A ListTasks", rpc("ListTasks", { pageSize: 100 })],
  ["A2A GET /tasks", rest("GET", "/tasks?pageSize=100")],
];

describe("the resources that a key can access", () => {
  it.each(LISTS)("with %s, a key sees only what it may access", async (_title, asked) => {
    const everything = Object.values(tasks).flat();
    const seen = async (bound: Bound) => among(everything, await answerTo(bound, asked));
    expect(await seen("agent")).toEqual([...tasks.own, ...tasks.agents].toSorted());
    expect(await seen("team")).toEqual([...tasks.own, ...tasks.teams].toSorted());
    expect(await seen("unbound")).toEqual(everything.toSorted());
  });

  it("a bound key sees exactly the tasks of its agent, or of its team", async () => {
    for (const [bound, own, others] of [
      ["agent", tasks.agents, tasks.teams],
      ["team", tasks.teams, tasks.agents],
    ] as const) {
      const { authorization } = await keyKindOf(bound, holdableScopes(bound));
      for (const [id = ""] of [own]) await answerTo(bound, reading(`/agents/tasks/${id}`));
      for (const [id = ""] of [others, tasks.rival]) {
        const answer = await sendRequest(reading(`/agents/tasks/${id}`), authorization);
        expect(answer.body.error.code).toBe("TASK_NOT_FOUND");
      }
    }
  });

  it.each([
    ["GET /agents/tools", reading("/agents/tools"), ["agent", "team"]],
    ["GET /agents/access", reading("/agents/access?limit=100"), ["agent", "team"]],
    ["MCP tools/list", mcp("tools/list"), ["agent"]],
    [
      "MCP tools/list as a member",
      mcp("tools/list", {}, `?agentId=${OWN_TENANT.agentId}`),
      ["team"],
    ],
  ] as const)("with %s, a key sees only its own tools", async (_title, asked, bounds) => {
    for (const bound of bounds) {
      const text = JSON.stringify(await answerTo(bound, asked));
      expect(text).toContain(OWN_TENANT.toolId);
      for (const other of [
        "json-workbench",
        "table-analyst",
        "chart-maker",
        OTHER_TENANT.agentId,
      ]) {
        expect(text).not.toContain(other);
      }
    }
    expect(JSON.stringify(await answerTo("unbound", reading("/agents/tools")))).toContain(
      OTHER_TENANT.toolId,
    );
  });

  it("no resource that a bound key can read names the other tenant's agent, team or tool", async () => {
    const [completed = "", waiting = ""] = tasks.own;
    const paths = [
      ...[completed, waiting].flatMap((id) =>
        ["", "/events"].map((at) => `/agents/tasks/${id}${at}`),
      ),
      `/agents/tasks/${completed}/deliverables`,
      `/agents/tools/${OWN_TENANT.toolId}`,
      `/agents/tools/${OWN_TENANT.toolId}/usage`,
      `/agents/tools/access/${OWN_TENANT.agentId}`,
      "/agents/access",
    ];
    for (const bound of ["agent", "team"] as const) {
      for (const path of paths) {
        const text = JSON.stringify(await answerTo(bound, reading(path)));
        for (const name of [
          OTHER_TENANT.agentId,
          OTHER_TENANT.teamId,
          OTHER_TENANT.toolId,
          "researcher",
        ]) {
          expect(text.includes(`"${name}"`), `${path} names ${name}`).toBe(false);
        }
      }
    }
  });
});

describe("MCP tools by scope", () => {
  const OPENED: Readonly<Partial<Record<Scope, readonly string[]>>> = {
    "tasks:read": ["get_task", "list_tasks", "list_deliverables"],
    "tasks:write": ["create_task", "cancel_task", "respond_task", "review_task"],
    "tasks:work": ["claim_task", "report_task"],
    "tools:invoke": ["get_approval", "list_approvals"],
  };

  it.each(SCOPES)("with %s, a key sees only the MCP tools that the scope allows", async (scope) => {
    for (const bound of BOUNDS.filter((one) => holdableScopes(one).includes(scope))) {
      const { authorization } = await keyKindOf(bound, [scope]);
      const { tools } = (await sendRequest(mcp("tools/list"), authorization)).body.result;
      const names: string[] = tools.map(({ name }: { name: string }) => name);
      const forTasks = names.filter((name) => !name.includes("__"));
      expect(forTasks.toSorted()).toEqual((OPENED[scope] ?? []).toSorted());
      const capabilities = names.length - forTasks.length;
      expect(capabilities > 0).toBe(scope === "tools:invoke" && bound !== "team");
    }
  });
});
