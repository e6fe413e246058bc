import { env } from "cloudflare:workers";
import type { JsonObject } from "../../../src/kernel/json.ts";
import { feedStub } from "../../../src/events/feed.rpc.ts";
import { get, post, ROOT, send, type Answer } from "../../support/client.ts";
import { keyId, keyWith, UNMANAGING } from "../../support/keys.ts";
import { create } from "../../support/tasks.ts";
import {
  bytesOf,
  claim,
  complete,
  OUTCOME,
  report,
  upload,
  waitingTask,
  workerAgent,
} from "../../tasks/workers/fixtures.ts";

const PUBLIC = "https://93.184.216.34";
/**
 * The maximum number of writes to a resource. A resource with more writes is replaced, because it
 * can reach limits and its lists can become long.
 */
const WRITES_MAX = 20;

let createdCount = 0;
let workerAgentId = "";
const things = new Map<string, string>();
const writes = new Map<string, number>();

/** Empties the pool. Each test file calls this, because its storage is reset. */
export function emptyPool(): void {
  workerAgentId = "";
  things.clear();
  writes.clear();
}

export function isInPool(name: string): boolean {
  return name === "fresh" || Object.hasOwn(CREATE_BY_NAME, name);
}

/** Returns the id of a pool resource, and creates the resource if it is missing. */
export async function resource(name: string): Promise<string> {
  // "fresh" is always an unused id.
  if (name === "fresh") return `fresh-${next()}`;
  const known = things.get(name);
  if (known !== undefined) return known;
  const make = CREATE_BY_NAME[name];
  if (make === undefined) throw new Error(`Unknown pool resource ${name}`);
  const id = await make();
  things.set(name, id);
  return id;
}

/**
 * Records a write to the resource in a path. After the write, the resource may no longer match its
 * name.
 */
export function markChanged(path: string, isSpent: boolean): void {
  for (const [name, id] of things) {
    if (!path.includes(id)) continue;
    const count = (writes.get(id) ?? 0) + 1;
    writes.set(id, count);
    if (isSpent || count > WRITES_MAX) forget(name);
  }
}

function forget(name: string): void {
  things.delete(name);
  if (name === "task:in_progress") things.delete("lease");
  if (name === "task:called") things.delete("call");
  if (name === "webhook") things.delete("delivery");
  if (name === "task:completed") for (const one of ["expires", "signature"]) things.delete(one);
}

const CREATE_BY_NAME: Readonly<Record<string, () => Promise<string>>> = {
  "task:pending": () => create({ agentId: "researcher", context: { text: "wind" } }),
  "task:in_progress": async () => {
    const { id, lease } = await held();
    things.set("lease", lease);
    return id;
  },
  "task:blocked": () => reported({ type: "blocked", question: "Which year?" }),
  "task:review": () => reported({ type: "review", ...OUTCOME }),
  "task:failed": () => reported({ type: "failed", error: { message: "no" } }),
  "task:completed": async () => {
    const { id, lease } = await held();
    good(
      await upload(id, "a.csv", bytesOf("a,b"), {
        "Bosun-Lease": lease,
        "Content-Type": "text/csv",
      }),
    );
    good(await complete(id, lease));
    return id;
  },
  "task:cancelled": async () => {
    const id = await create({ agentId: "researcher" });
    good(await post(`/agents/tasks/${id}/cancel`));
    return id;
  },
  "task:called": async () => {
    const { id } = await held();
    const toolId = "json-workbench";
    good(await post("/agents/tools/access", { agentId: workerAgentId, toolId }));
    const parameters = { document: "[1]", path: "$[0]" };
    const body = { capability: "query", parameters, taskId: id };
    good(await post(`/agents/tools/${toolId}/invoke`, body));
    return id;
  },
  call: async () => {
    const id = await resource("task:called");
    return good(await get(`/agents/tasks/${id}/calls`)).body.data.calls[0].callId;
  },
  lease: async () => {
    things.delete("task:in_progress");
    await resource("task:in_progress");
    return things.get("lease") ?? "";
  },
  expires: () => linkPart("expires"),
  signature: () => linkPart("signature"),
  agent: () => agent({}),
  "agent:worker": () => agent({ executor: { type: "worker" } }),
  "agent:waiting": async () => {
    const id = await agent({ executor: { type: "worker" } });
    for (let task = 0; task < 6; task += 1) await waitingTask(id);
    return id;
  },
  "agent:granted": async () => {
    const id = await agent({});
    good(await post("/agents/tools/access", { agentId: id, toolId: "json-workbench" }));
    return id;
  },
  team: async () => {
    const id = `team-${next()}`;
    good(await send("PUT", `/agents/teams/${id}`, { agents: ["researcher"] }));
    return id;
  },
  key: async () => keyId(await keyWith(UNMANAGING)),
  session: async () => {
    const headers = { "CF-Connecting-IP": `192.0.2.${next() % 256}` };
    const signedIn = good(await post("/agents/sessions", { apiKey: ROOT }, { key: null, headers }));
    return signedIn.body.data.session.sessionId;
  },
  "key:bound": () => keyWith(UNMANAGING, { agentId: "researcher" }),
  "key:reader": () => keyWith(["tools:read", "tasks:read"]),
  tool: () => tool({}),
  "tool:oauth": async () => {
    const id = await tool({ authentication: { type: "oauth", scopes: ["read"] } });
    const client = { tokenUrl: `${PUBLIC}/token`, clientId: "bosun" };
    good(
      await send("PUT", `/agents/tools/${id}/credentials`, {
        type: "oauth-authorization-code",
        ...client,
        authorizationUrl: `${PUBLIC}/authorize`,
      }),
    );
    return id;
  },
  "result:expires": () => resultLinkPart("expires"),
  "result:signature": () => resultLinkPart("signature"),
  result: async () => {
    const content = `a,b\n${"1,2\n".repeat(9_000)}`;
    const { body } = good(
      await post("/agents/tools/format-bridge/invoke", {
        capability: "convert",
        parameters: { content, from: "csv", to: "json" },
      }),
    );
    const { pathname, searchParams } = new URL(body.data.result.downloadUrl);
    for (const [part, value] of searchParams) things.set(`result:${part}`, value);
    return pathname.slice(pathname.lastIndexOf("/") + 1);
  },
  limit: async () => {
    const id = `limit-${next()}`;
    const rule = { scope: { all: true }, measure: "tokens", per: "day", limit: 1e9 };
    return good(await post("/agents/limits", { id, name: "High", ...rule })).body.data.id;
  },
  policy: async () => {
    const id = `policy-${next()}`;
    const tools = ["table-analyst/trend"];
    const policy = { id, name: "Rare", effect: "deny", tools, reason: "None." };
    return good(await post("/agents/policies", policy)).body.data.id;
  },
  approval: async () => {
    const id = `approval-${next()}`;
    const when = { "parameters.document": { eq: id } };
    const policy = {
      id,
      name: "Asks",
      effect: "ask",
      tools: ["json-workbench"],
      reason: "Ask.",
      when,
    };
    good(await post("/agents/policies", policy));
    const call = { capability: "query", parameters: { document: id, path: "$" } };
    const key = await keyWith(["tools:invoke"]);
    const stored = await post("/agents/tools/json-workbench/invoke", call, { key });
    await send("DELETE", `/agents/policies/${id}`);
    return good(stored).body.data.approvalId;
  },
  webhook: async () => good(await post("/agents/webhooks", { url: `${PUBLIC}/` })).body.data.id,
  delivery: async () => {
    forget("webhook");
    const id = await resource("webhook");
    const at = new Date().toISOString();
    const event = { taskId: "a".repeat(64), seq: next(), type: "cancelled", at } as const;
    await feedStub(env.FEED).publish(
      [{ ...event, agentId: null, teamId: null, data: { reason: null } }],
      true,
    );
    return good(await get(`/agents/webhooks/${id}/deliveries`)).body.data.deliveries[0].id;
  },
  "cursor:tasks": async () => {
    for (let task = 0; task < 2; task += 1) await create({ agentId: "researcher" });
    return good(await get("/agents/tasks?limit=1")).body.data.nextCursor;
  },
  "cursor:events": async () => good(await get("/agents/events?limit=1")).body.data.nextCursor,
  "cursor:audit": async () => good(await get("/agents/audit?limit=1")).body.data.nextCursor,
  "cursor:grants": async () => good(await get("/agents/access?limit=1")).body.data.nextCursor,
};

/**
 * Claims a new task. The claim may also return other waiting tasks, such as retried ones, which are
 * ignored.
 */
async function held(): Promise<{ id: string; lease: string }> {
  if (workerAgentId === "") workerAgentId = await workerAgent();
  const id = await waitingTask(workerAgentId);
  const claimed = await claim(workerAgentId, { max: 100 });
  const own = claimed.find(({ taskId }) => taskId === id);
  if (own === undefined) throw new Error(`${id} could not be claimed`);
  return { id, lease: own.lease.token };
}

async function reported(body: JsonObject): Promise<string> {
  const { id, lease } = await held();
  good(await report(id, lease, body));
  return id;
}

async function linkPart(name: string): Promise<string> {
  const id = await resource("task:completed");
  const { deliverables } = good(await get(`/agents/tasks/${id}/deliverables`)).body.data;
  return new URL(deliverables[0].downloadUrl).searchParams.get(name) ?? "";
}

async function resultLinkPart(part: string): Promise<string> {
  things.delete("result");
  await resource("result");
  return things.get(`result:${part}`) ?? "";
}

async function agent(settings: JsonObject): Promise<string> {
  const id = `agent-${next()}`;
  good(await post("/agents", { id, ...settings }));
  return id;
}

async function tool(settings: JsonObject): Promise<string> {
  const id = `tool-${next()}`;
  good(
    await post("/agents/tools", {
      id,
      name: "Stocked",
      connector: { type: "http", baseUrl: PUBLIC },
      capabilities: [{ id: "fetch", request: { method: "GET", path: "/" } }],
      rateLimit: { requests: 1_000_000, period: "hour" },
      ...settings,
    }),
  );
  return id;
}

function next(): number {
  createdCount += 1;
  return createdCount;
}

function good(answer: Answer): Answer {
  if (answer.status < 300) return answer;
  throw new Error(`A pool resource could not be created: ${answer.status} ${answer.text}`);
}
