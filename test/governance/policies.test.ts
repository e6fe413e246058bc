import { describe, expect, it } from "vitest";
import { POLICIES_MAX } from "../../src/governance/limits.ts";
import type { JsonObject } from "../../src/kernel/json.ts";
import { del, get, patch, post, send, type Answer, type Options } from "../support/client.ts";
import { expectError, expectProblems } from "../support/expect-errors.ts";
import { keyId, keyWith } from "../support/keys.ts";

const DENY = {
  name: "No queries",
  effect: "deny",
  tools: ["json-workbench/query"],
  reason: "Why.",
};

const put = (id: string, body: JsonObject, options?: Options): Promise<Answer> =>
  send("PUT", `/agents/policies/${id}`, body, options);
const create = (body: JsonObject): Promise<Answer> =>
  post("/agents/policies", { ...DENY, ...body });

describe("policies", () => {
  it("a policy is created with defaults, listed, read, changed and deleted", async () => {
    const created = await create({ id: "no-queries" });
    expect(created.status).toBe(201);
    expect(created.body.data).toMatchObject({
      ...DENY,
      id: "no-queries",
      agents: [],
      teams: [],
      when: null,
      enabled: true,
      unknownTargets: [],
      unknownAgents: [],
      unknownTeams: [],
      unknownApprovers: [],
      approvers: [],
      approvals: 1,
      expiresAfter: "24h",
      remember: "none",
      createdBy: "root",
    });
    expect((await get("/agents/policies/no-queries")).body.data).toEqual(created.body.data);
    const { policies, total } = (await get("/agents/policies")).body.data;
    expect(policies).toContainEqual(created.body.data);
    expect(total).toBe(policies.length);

    const when = { "parameters.path": { startsWith: "$.secret" } };
    const changed = await patch("/agents/policies/no-queries", { when, enabled: false });
    expect(changed.body.data).toMatchObject({ ...DENY, when, enabled: false });
    const emptied = await patch("/agents/policies/no-queries", { when: null });
    expect(emptied.body.data).toMatchObject({ when: null, enabled: false });

    expect((await del("/agents/policies/no-queries")).body.data).toEqual({
      id: "no-queries",
      deleted: true,
    });
    expectError(await get("/agents/policies/no-queries"), 404, "POLICY_NOT_FOUND");
    expectError(await del("/agents/policies/no-queries"), 404, "POLICY_NOT_FOUND");
    expectError(await patch("/agents/policies/no-queries", {}), 404, "POLICY_NOT_FOUND");
  });

  it("a second PUT replaces every field that a client can set, and keeps createdBy and createdAt", async () => {
    const key = await keyWith(["policies:manage"]);
    const body = { ...DENY, when: { "parameters.path": { eq: "$" } } };
    const created = await put("put-one", body, { key });
    expect([created.status, created.body.data.createdBy]).toEqual([201, keyId(key)]);
    const replaced = await put("put-one", { ...DENY, effect: "allow" });
    expect(replaced.status).toBe(200);
    expect(replaced.body.data).toMatchObject({
      effect: "allow",
      when: null,
      createdBy: keyId(key),
      createdAt: created.body.data.createdAt,
    });
    expectProblems(await put("-x", DENY), { id: "must" });
    for (const id of ["explain", "simulate"])
      expectError(await put(id, DENY), 405, "METHOD_NOT_ALLOWED");
  });

  it("a second policy with the same id is rejected, and so is a reserved word as an id", async () => {
    await create({ id: "twice" });
    expectError(await create({ id: "twice", effect: "allow" }), 409, "POLICY_EXISTS");
    expect((await get("/agents/policies/twice")).body.data.effect).toBe("deny");
    expectProblems(await create({ id: "explain" }), {
      id: "must not be one of the reserved words",
    });
  });

  it.each<[string, JsonObject, Record<string, string>]>([
    ["an unknown effect", { effect: "delay" }, { effect: "must be one of allow, ask, deny" }],
    ["an unknown approver", { approvers: ["nobody"] }, { "approvers[0]": "must name an existing" }],
    ["three approvals", { approvals: 3 }, { approvals: "must" }],
    ["a short expiry", { expiresAfter: "59s" }, { expiresAfter: "must be a duration" }],
    ["a long memory", { remember: "31d" }, { remember: "must" }],
    ["no tools", { tools: [] }, { tools: "must have at least 1 item" }],
    ["a wildcard inside a tool's id", { tools: ["json-*"] }, { "tools[0]": "must be" }],
    ["an unknown tool", { tools: ["*", "nope"] }, { "tools[1]": "must name an existing tool" }],
    ["an unknown tool's capabilities", { tools: ["nope/*"] }, { "tools[0]": "must name" }],
    [
      "an unknown capability",
      { tools: ["json-workbench/nope"] },
      { "tools[0]": "must name an existing tool or capability" },
    ],
    ["an unknown agent", { agents: ["nobody"] }, { "agents[0]": "must name an existing agent" }],
    ["an unknown team", { teams: ["nobody"] }, { "teams[0]": "must name an existing team" }],
    ["an empty reason", { reason: " " }, { reason: "must" }],
    ["a condition with an unknown field", { when: { amount: { gt: 1 } } }, { "when.amount": "is" }],
    [
      "a condition with a contradiction",
      { when: { "parameters.path": { gt: 2, lt: 1 } } },
      { when: "can never be true" },
    ],
    [
      "a pattern that RE2 does not support",
      { when: { "parameters.path": { matches: "(?=x)" } } },
      { "when.parameters.path.matches": "must be a pattern that RE2 supports" },
    ],
    [
      "a condition on an unknown parameter",
      { when: { "parameters.pahts": { eq: "$" } } },
      { when: 'must name a parameter of a covered capability, got "parameters.pahts"' },
    ],
    [
      "a very large condition",
      { when: { "parameters.path": { in: Array(20).fill("x".repeat(490)) } } },
      { when: "must be at most 8192 bytes of JSON" },
    ],
    ["an unknown field", { priority: 1 }, { priority: "is not a known field" }],
  ])("a policy with %s is rejected and changes nothing", async (_, body, problems) => {
    expectProblems(await create({ id: "invalid", ...body }), problems);
    expectError(await get("/agents/policies/invalid"), 404, "POLICY_NOT_FOUND");
    await put("valid", DENY);
    expectProblems(await patch("/agents/policies/valid", body), problems);
    expect((await get("/agents/policies/valid")).body.data).toMatchObject(DENY);
  });
});

describe("the explanation of a policy's decision", () => {
  const explain = async (query: string): Promise<Answer> =>
    get(`/agents/policies/explain?toolId=format-bridge&capability=convert${query}`);

  it("the explanation names a policy that decides, or says that the decision depends on the parameters", async () => {
    expect((await explain("")).body.data).toEqual({ decision: "allowed", policies: [] });
    await create({ id: "b-allow", effect: "allow", tools: ["format-bridge"] });
    expect((await explain("")).body.data).toMatchObject({
      decision: "allowed",
      decidedBy: "b-allow",
    });
    const when = { "parameters.to": { eq: "xml" } };
    await create({ id: "a-when", tools: ["format-bridge/convert"], when });
    const depends = (await explain("")).body.data;
    expect(depends).toMatchObject({ decision: "depends_on_parameters" });
    expect(depends).not.toHaveProperty("decidedBy");
    expect(depends.policies.map(({ id }: { id: string }) => id)).toEqual(["a-when", "b-allow"]);
    await create({ id: "c-deny", tools: ["format-bridge/*"], agents: ["data-analyst"] });
    expect((await explain("&agentId=data-analyst")).body.data).toMatchObject({
      decision: "denied",
      decidedBy: "c-deny",
    });
    expect((await explain("&agentId=researcher")).body.data.decision).toBe("depends_on_parameters");
    for (const id of ["a-when", "b-allow", "c-deny"]) await del(`/agents/policies/${id}`);
  });

  it("explaining a call of an unknown tool or capability, or by an unknown agent, returns 404", async () => {
    expectError(await explain("&agentId=nobody"), 404, "AGENT_NOT_FOUND");
    const tool = "/agents/policies/explain?toolId=nope&capability=x";
    expectError(await get(tool), 404, "TOOL_NOT_FOUND");
    const capability = "/agents/policies/explain?toolId=format-bridge&capability=x";
    expectError(await get(capability), 404, "CAPABILITY_NOT_FOUND");
  });
});

describe("the number of policies", () => {
  it("at most POLICIES_MAX policies can exist", async () => {
    const { total } = (await get("/agents/policies")).body.data;
    const ids = Array.from({ length: POLICIES_MAX - total }, (_, index) => `many-${index}`);
    for (const id of ids) expect((await create({ id })).status).toBe(201);
    expectError(await create({ id: "one-more" }), 409, "POLICY_LIMIT_REACHED");
    expectError(await put("one-more", DENY), 409, "POLICY_LIMIT_REACHED");
    expect((await put("many-0", DENY)).status).toBe(200);
  });
});
