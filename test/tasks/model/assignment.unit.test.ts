import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  addLoads,
  chooseAgent,
  deriveTaskNeeds,
  toRequestedChoice,
  type Candidate,
  type TaskNeeds,
} from "../../../src/tasks/model/assignment.ts";
import { EXECUTOR_TYPES } from "../../../src/agents/model/agent.ts";
import { CATEGORIES } from "../../../src/tools/model/tool.ts";

function agent(agentId: string, change: Partial<Candidate> = {}): Candidate {
  return {
    agentId,
    agentName: agentId.toUpperCase(),
    skills: [],
    categories: [],
    load: 0,
    rating: null,
    executor: "builtin",
    maxConcurrentTasks: null,
    ...change,
  };
}

const ANALYSIS: TaskNeeds = {
  words: ["analyse", "penguins"],
  inputCategories: ["data"],
  categories: ["data", "creative"],
};

describe("otherwise equal candidates", () => {
  // The winner's id comes second, so it would lose a tie.
  it.each<[string, Partial<Candidate>, Partial<Candidate>]>([
    ["a skill that the task names decides", { skills: ["data analysis"] }, { skills: ["poetry"] }],
    [
      "the grants that the task needs decide",
      { categories: ["data"] },
      { categories: ["research"] },
    ],
    ["more of those grants decide", { categories: ["data", "creative"] }, { categories: ["data"] }],
    [
      "the ability to read the task's input outweighs everything else",
      { categories: ["data"], load: 50, rating: 1 },
      { categories: ["creative"], skills: ["penguins"], rating: 5 },
    ],
    ["less load decides", { load: 1 }, { load: 2 }],
    ["the better rating decides", { rating: 4.5 }, { rating: 4.4 }],
    ["no rating beats a bad one", { rating: null }, { rating: 2.9 }],
    ["a good rating beats none", { rating: 3.1 }, { rating: null }],
  ])("between otherwise equal candidates, %s", (_, better, worse) => {
    const choice = chooseAgent(ANALYSIS, [agent("a", worse), agent("z", better)]);
    expect(choice?.agentId).toBe("z");
    const [first, second] = choice?.candidates ?? [];
    expect(first?.score).toBeGreaterThan(second?.score ?? Infinity);
  });
});

describe("a tie", () => {
  it("a tie goes to the agent with fewer tasks", () => {
    const busyAndPraised = agent("a", { load: 1, rating: 4.6 });
    const choice = chooseAgent(ANALYSIS, [busyAndPraised, agent("b")]);
    expect(new Set(choice?.candidates.map(({ score }) => score)).size).toBe(1);
    expect(choice?.agentId).toBe("b");
  });

  it("a tie with equal numbers of tasks goes to the smaller id, in any order of candidates", () => {
    const agents = ["carl", "Anna", "bert"].map((id) => agent(id));
    expect(chooseAgent(ANALYSIS, agents)?.agentId).toBe("Anna");
    expect(chooseAgent(ANALYSIS, agents.toReversed())?.agentId).toBe("Anna");
  });
});

describe("choosing an agent", () => {
  it("the assignment states its reasons", () => {
    const skilled = agent("ada", {
      skills: ["data analysis", "poetry"],
      categories: ["data"],
      load: 1,
      rating: 4.25,
    });
    expect(chooseAgent(ANALYSIS, [skilled])).toEqual({
      agentId: "ada",
      agentName: "ADA",
      reasons: [
        "skills: data analysis",
        "tools for 1 of 2 required categories (data, creative)",
        "1 live task",
        "rated 4.3",
      ],
      candidates: [{ agentId: "ada", score: expect.any(Number) }],
    });
    expect(
      chooseAgent({ words: [], inputCategories: [], categories: [] }, [agent("ada", { load: 2 })])
        ?.reasons,
    ).toEqual(["no matching skills", "no specific tools needed", "2 live tasks", "not rated yet"]);
  });

  it("the choice lists the ten best candidates, best first", () => {
    const agents = Array.from({ length: 12 }, (_, index) =>
      agent(`a${index}`, { load: 12 - index }),
    );
    const scored = chooseAgent(ANALYSIS, agents)?.candidates ?? [];
    expect(scored.map(({ agentId }) => agentId)).toEqual(
      Array.from({ length: 10 }, (_, index) => `a${11 - index}`),
    );
  });

  it("no agent is chosen without candidates, and a requested agent is chosen without comparison", () => {
    expect(chooseAgent(ANALYSIS, [])).toBeNull();
    expect(toRequestedChoice(agent("ada"))).toEqual({
      agentId: "ada",
      agentName: "ADA",
      reasons: ["requested by the client"],
      candidates: [],
    });
  });

  it("the choice does not depend on the order of the candidates", () => {
    const candidate = fc.record({
      agentId: fc.string({ minLength: 1, maxLength: 3 }),
      agentName: fc.constant("A"),
      skills: fc.subarray(["data analysis", "penguins", "poetry"]),
      categories: fc.subarray([...CATEGORIES]),
      load: fc.nat(3),
      rating: fc.option(fc.integer({ min: 1, max: 5 })),
      executor: fc.constantFrom(...EXECUTOR_TYPES),
      maxConcurrentTasks: fc.option(fc.integer({ min: 1, max: 3 })),
    });
    const many = fc.uniqueArray(candidate, { selector: ({ agentId }) => agentId, minLength: 1 });
    const shuffled = many.chain((agents) =>
      fc.tuple(
        fc.constant(agents),
        fc.shuffledSubarray(agents, { minLength: agents.length, maxLength: agents.length }),
      ),
    );
    fc.assert(
      fc.property(shuffled, ([agents, mixed]) => {
        expect(chooseAgent(ANALYSIS, mixed)).toEqual(chooseAgent(ANALYSIS, agents));
      }),
    );
  });
});

describe("agent load", () => {
  it("the load is the same whether it is counted in one database or in several", () => {
    const lying = fc.array(fc.tuple(fc.constantFrom("ada", "bob", "gone"), fc.nat({ max: 3 })));
    fc.assert(
      fc.property(lying, (tasks) => {
        const held = (owner: string, shard: number | null): number =>
          tasks.filter(([id, at]) => id === owner && (shard === null || at === shard)).length;
        const here = ["ada", "bob"].map((id) => agent(id, { load: held(id, 0) }));
        const further = [1, 2, 3].map(
          (shard) => new Map(["gone", "bob", "ada"].map((id) => [id, held(id, shard)])),
        );
        const all = ["ada", "bob"].map((id) => agent(id, { load: held(id, null) }));
        expect(addLoads(here, further)).toEqual(all);
      }),
    );
  });

  it("if one database does not respond, the load is the sum of the other databases", () => {
    expect(addLoads([agent("ada", { load: 2 })], [new Map()])).toEqual([agent("ada", { load: 2 })]);
  });
});

describe("a task's needs", () => {
  it.each([
    [[], { csv: "a\n1" }, ["data"]],
    [[], { data: [] }, ["data"]],
    [[], { text: "Long ago" }, ["research"]],
    [["chart"], {}, ["creative"]],
    [["presentation"], {}, ["creative"]],
    [["report"], {}, ["creative"]],
    [["spreadsheet"], {}, ["integration"]],
    [
      ["chart", "spreadsheet"],
      { csv: "", text: "" },
      ["data", "research", "creative", "integration"],
    ],
    [["poem"], { other: 1 }, []],
  ])(
    "deliverables %j and context %j need the tool categories %j",
    (deliverables, context, categories) => {
      expect(deriveTaskNeeds("Do it", deliverables, context).categories).toEqual(categories);
    },
  );

  it.each([
    ["Analyse the penguins", "data analysis", true],
    ["ANALYSIS, please!", "data analysis", true],
    ["Make slides", "slides", true],
    ["Résumé des données", "résumé", true],
    ["Sell ice", "data analysis", false],
    ["An id", "ideas", false],
  ])("the text %j names the skill %j: %s", (task, skill, named) => {
    const need = deriveTaskNeeds(task, [], {});
    const reasons = chooseAgent(need, [agent("ada", { skills: [skill] })])?.reasons;
    expect(reasons?.[0]).toBe(named ? `skills: ${skill}` : "no matching skills");
  });

  it("a deliverable's type can name a skill", () => {
    const need = deriveTaskNeeds("Tell the board", ["presentation"], {});
    expect(chooseAgent(need, [agent("ada", { skills: ["presentation"] })])?.reasons[0]).toBe(
      "skills: presentation",
    );
  });
});
