import { beforeAll, describe, expect, it } from "vitest";
import { foreignTool, registerTools } from "../support/catalogue.ts";
import { del, get, post } from "../support/client.ts";

const CAPTAIN = "captain";

beforeAll(async () => {
  await registerTools(
    ...Array.from({ length: 25 }, (_, index) =>
      foreignTool(`rope-${index}`, {
        name: `Rope ${index}`,
        description: index % 2 === 0 ? "Made of hemp; xq" : "Made of steel",
        category: index % 5 === 0 ? "creative" : "integration",
      }),
    ),
  );
  for (let index = 0; index < 25; index += 3) await grant(`rope-${index}`);
});

function grant(toolId: string) {
  return post("/agents/tools/access", { agentId: CAPTAIN, toolId });
}

async function list(query: string): Promise<{ ids: string[]; total: number }> {
  const answer = await get(`/agents/tools?limit=100&${query}`);
  if (answer.status !== 200) throw new Error(answer.text);
  const { tools, total } = answer.body.data;
  return { ids: tools.map(({ id }: { id: string }) => id), total };
}

const toolIds = (keep: (index: number) => boolean): string[] =>
  Array.from({ length: 25 }, (_, index) => index)
    .filter(keep)
    .map((index) => `rope-${index}`);

describe("combined filters of the tool list", () => {
  it.each<[string, (index: number) => boolean]>([
    ["search=rope", () => true],
    ["search=hemp", (index) => index % 2 === 0],
    ["search=xq", (index) => index % 2 === 0],
    [`agentId=${CAPTAIN}`, (index) => index % 3 === 0],
    [`search=hemp&agentId=${CAPTAIN}`, (index) => index % 6 === 0],
    [`search=xq&agentId=${CAPTAIN}`, (index) => index % 6 === 0],
    [`search=zeppelin&agentId=${CAPTAIN}`, () => false],
    [`search=zz&agentId=${CAPTAIN}`, () => false],
    ["search=rope&category=creative", (index) => index % 5 === 0],
    ["search=xq&category=creative", (index) => index % 10 === 0],
    [
      `search=rope&category=integration&agentId=${CAPTAIN}`,
      (index) => index % 3 === 0 && index % 5 !== 0,
    ],
    ["search=rope&category=research", () => false],
  ])("the list of tools matches all filters of the query: %s", async (query, keep) => {
    const expected = toolIds(keep);
    expect(await list(query)).toEqual({ ids: expected, total: expected.length });
  });

  it.each(["", "search=rope", "search=xq", `search=rope&agentId=${CAPTAIN}`])(
    "the pages of the list for %j form the whole list without gaps",
    async (query) => {
      const whole = await list(query);
      const paged: string[] = [];
      for (let offset = 0; offset < whole.total; offset += 4) {
        const { body } = await get(`/agents/tools?limit=4&offset=${offset}&${query}`);
        expect(body.data.total).toBe(whole.total);
        paged.push(...body.data.tools.map(({ id }: { id: string }) => id));
      }
      expect(paged).toEqual(whole.ids);
    },
  );
});

describe("a grant, its replacement and its revocation", () => {
  const AGENT = "journeyman";
  const access = () => get(`/agents/tools/access/${AGENT}`);
  const invoke = (capability: string, parameters: Record<string, string>) =>
    post("/agents/tools/json-workbench/invoke", { capability, parameters, agentId: AGENT });
  const query = () => invoke("query", { document: "[1,2]", path: "$[1]" });
  const diff = () => invoke("diff", { before: "1", after: "2" });
  const agentsOfTool = async () => {
    const detail = await get("/agents/tools/json-workbench");
    const { body } = await get("/agents/tools?category=development");
    const listed: string[] = body.data.tools[0].agents;
    const agents: { agentId: string; proficiency: string }[] = detail.body.data.agents;
    return { listed, detailed: agents.find(({ agentId }) => agentId === AGENT) };
  };

  it("a change to a grant takes effect immediately in the agent's access, the tool's agents and every call", async () => {
    expect((await access()).status).toBe(404);
    expect((await query()).body.error.code).toBe("AGENT_NOT_FOUND");

    const first = { agentId: AGENT, toolId: "json-workbench", proficiency: "expert" };
    expect((await post("/agents/tools/access", first)).status).toBe(201);
    expect((await access()).body.data).toEqual({
      agentId: AGENT,
      agentName: AGENT,
      tools: [
        {
          id: "json-workbench",
          name: "JSON workbench",
          proficiency: "expert",
          capabilities: ["validate", "query", "diff"],
        },
      ],
      totalTools: 1,
    });
    const granted = await agentsOfTool();
    expect(granted.listed).toContain(AGENT);
    expect(granted.detailed).toEqual({ agentId: AGENT, proficiency: "expert" });
    expect([(await query()).status, (await diff()).status]).toEqual([200, 200]);

    const second = { agentId: AGENT, toolId: "json-workbench", capabilities: ["diff"] };
    expect((await post("/agents/tools/access", second)).status).toBe(200);
    expect((await access()).body.data.tools).toMatchObject([
      { proficiency: "intermediate", capabilities: ["diff"] },
    ]);
    expect((await query()).body.error).toMatchObject({
      code: "CAPABILITY_NOT_GRANTED",
      message: expect.stringContaining("diff"),
    });
    expect((await diff()).status).toBe(200);

    const revoked = await del(`/agents/tools/access/${AGENT}/json-workbench`);
    expect(revoked.body.data).toEqual({ agentId: AGENT, toolId: "json-workbench", revoked: true });
    expect((await access()).body.data).toMatchObject({ tools: [], totalTools: 0 });
    const after = await agentsOfTool();
    expect(after.listed).not.toContain(AGENT);
    expect(after.detailed).toBeUndefined();
    expect((await diff()).body.error.code).toBe("TOOL_ACCESS_DENIED");
    expect((await del(`/agents/tools/access/${AGENT}/json-workbench`)).body.error.code).toBe(
      "ACCESS_NOT_FOUND",
    );
  });

  it("twenty concurrent grants of one tool to an agent leave one grant", async () => {
    const body = { agentId: "crowd", toolId: "json-workbench" };
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => post("/agents/tools/access", body)),
    );
    expect(answers.every(({ status }) => status === 200 || status === 201)).toBe(true);
    expect((await get("/agents/tools/access/crowd")).body.data.totalTools).toBe(1);
  });
});
