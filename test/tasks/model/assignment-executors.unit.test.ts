import fc, { type Arbitrary } from "fast-check";
import { describe, expect, it } from "vitest";
import { EXECUTOR_TYPES } from "../../../src/agents/model/agent.ts";
import {
  chooseAgent,
  type Candidate,
  type TaskNeeds,
} from "../../../src/tasks/model/assignment.ts";
import { CATEGORIES } from "../../../src/tools/model/tool.ts";

const WORDS = ["analyse", "penguins", "slides"];
const READING = ["data", "research"] as const;

const need: Arbitrary<TaskNeeds> = fc
  .record({
    words: fc.subarray(WORDS),
    inputCategories: fc.subarray([...READING]),
    making: fc.subarray(["creative", "integration"] as const),
  })
  .map(({ words, inputCategories, making }) => ({
    words,
    inputCategories,
    categories: [...inputCategories, ...making],
  }));

const candidate: Arbitrary<Candidate> = fc.record({
  agentId: fc.constant("x"),
  agentName: fc.constant("X"),
  skills: fc.subarray(["data analysis", "penguins", "slides", "poetry"]),
  categories: fc.subarray([...CATEGORIES]),
  load: fc.nat(100),
  rating: fc.option(fc.double({ min: 1, max: 5, noNaN: true })),
  executor: fc.constantFrom(...EXECUTOR_TYPES),
  maxConcurrentTasks: fc.option(fc.integer({ min: 1, max: 100 })),
});

/** Returns a candidate's score, which does not depend on other candidates. */
function scoreOf(wanted: TaskNeeds, one: Candidate): number {
  return chooseAgent(wanted, [one])?.candidates[0]?.score ?? Number.NaN;
}

const isFull = ({ load, maxConcurrentTasks: limit }: Candidate) => limit !== null && load >= limit;
const canRead = ({ inputCategories }: TaskNeeds, { categories, executor }: Candidate) =>
  executor !== "builtin" ||
  inputCategories.length === 0 ||
  inputCategories.some((category) => categories.includes(category));

const winner = (wanted: TaskNeeds, one: Candidate, other: Candidate) =>
  chooseAgent(wanted, [
    { ...one, agentId: "one" },
    { ...other, agentId: "other" },
  ])?.agentId;

describe("a free slot", () => {
  it("a free agent wins over a full agent if both can read the input", () => {
    fc.assert(
      fc.property(need, candidate, candidate, (wanted, free, full) => {
        fc.pre(!isFull(free) && isFull(full) && canRead(wanted, free) && canRead(wanted, full));
        expect(winner(wanted, full, free)).toBe("other");
      }),
      { numRuns: 1_000 },
    );
  });

  it("a full agent is assigned if no agent is free", () => {
    fc.assert(
      fc.property(need, fc.array(candidate, { minLength: 1, maxLength: 5 }), (wanted, agents) => {
        const full = agents.map((one, index) => ({
          ...one,
          agentId: `a${index}`,
          maxConcurrentTasks: 1,
          load: one.load + 1,
        }));
        expect(chooseAgent(wanted, full)).not.toBeNull();
      }),
    );
  });

  it("the reasons state when an agent has no free slot", () => {
    const full: Candidate = {
      agentId: "a",
      agentName: "A",
      skills: [],
      categories: [],
      load: 3,
      rating: null,
      executor: "worker",
      maxConcurrentTasks: 3,
    };
    const nothing: TaskNeeds = { words: [], inputCategories: [], categories: [] };
    expect(chooseAgent(nothing, [full])?.reasons[2]).toBe("3 live tasks, no free slot (limit 3)");
    expect(chooseAgent(nothing, [{ ...full, load: 2 }])?.reasons[2]).toBe("2 live tasks");
  });
});

describe("an agent that can read the task's input", () => {
  it("an agent that can read the input wins over a built-in agent that cannot, even if it is full", () => {
    fc.assert(
      fc.property(need, candidate, candidate, (wanted, reader, other) => {
        fc.pre(canRead(wanted, reader) && !canRead(wanted, other));
        expect(winner(wanted, other, reader)).toBe("other");
      }),
      { numRuns: 1_000 },
    );
  });

  const table: TaskNeeds = { words: [], inputCategories: ["data"], categories: ["data"] };
  const text: TaskNeeds = { words: [], inputCategories: ["research"], categories: ["research"] };
  const bare: Candidate = {
    agentId: "x",
    agentName: "X",
    skills: [],
    categories: [],
    load: 0,
    rating: null,
    executor: "builtin",
    maxConcurrentTasks: null,
  };

  it("a text input lowers only the score of built-in agents without tools", () => {
    const scores = EXECUTOR_TYPES.map((executor) => scoreOf(text, { ...bare, executor }));
    // In this order: builtin, model, a2a, worker
    expect(scores).toEqual([-40, 0, 1.5, 1.5]);
  });

  it("a model without a tool for tables ranks below agents that have one and above agents that cannot read", () => {
    const scores = EXECUTOR_TYPES.map((executor) => scoreOf(table, { ...bare, executor }));
    expect(scores).toEqual([-40, -5, 1.5, 1.5]);
    const unaided: Candidate = { ...bare, executor: "model", skills: ["data"] };
    const busy: Candidate = { ...bare, categories: ["data"], load: 20, rating: 2 };
    expect(winner({ ...table, words: ["data"] }, unaided, busy)).toBe("other");
  });

  it("a worker with matching skills wins over a built-in agent that has only the tools", () => {
    const worker: Candidate = { ...bare, executor: "worker", skills: ["penguins"] };
    const equipped: Candidate = { ...bare, categories: ["data"] };
    expect(winner({ ...table, words: ["penguins"] }, equipped, worker)).toBe("other");
    expect(winner(table, worker, equipped)).toBe("other");
    expect(chooseAgent(table, [worker])?.reasons[1]).toBe("has its own tools");
  });
});

describe("the advantages of an agent", () => {
  const better: readonly [what: string, improve: (one: Candidate) => Candidate][] = [
    ["another grant", (one) => ({ ...one, categories: [...CATEGORIES] })],
    ["a better rating", (one) => ({ ...one, rating: 5 })],
    ["less load", (one) => ({ ...one, load: Math.max(0, one.load - 1) })],
    ["no limit", (one) => ({ ...one, maxConcurrentTasks: null })],
    ["only skills that the task names", (one) => ({ ...one, skills: ["penguins"] })],
  ];

  it.each(better)("an agent's score does not fall with %s", (_, improve) => {
    fc.assert(
      fc.property(need, candidate, (asked, one) => {
        const wanted = { ...asked, words: WORDS };
        expect(scoreOf(wanted, improve(one))).toBeGreaterThanOrEqual(scoreOf(wanted, one));
      }),
    );
  });

  it("a worker and an A2A agent score equally, and at least as high as an equal model or built-in agent", () => {
    fc.assert(
      fc.property(need, candidate, (wanted, one) => {
        const scores = EXECUTOR_TYPES.map((executor) => scoreOf(wanted, { ...one, executor }));
        const [builtin = 0, model = 0, a2a = 0, worker = 0] = scores;
        expect(model).toBeGreaterThanOrEqual(builtin);
        expect(a2a).toBeGreaterThanOrEqual(model);
        expect(worker).toBe(a2a);
      }),
    );
  });
});

describe("built-in agents without limits", () => {
  /**
   * The score before other executors existed: up to 4 for skills, 3 for grants, 1 up or down for
   * the rating, and up to 4 off for the load.
   */
  function earlier(wanted: TaskNeeds, { skills, categories, load, rating }: Candidate): number {
    const stems = new Set(wanted.words.map((word) => word.slice(0, 5)));
    const named = skills.filter((skill) => skill.split(" ").some((w) => stems.has(w.slice(0, 5))));
    const held = wanted.categories.filter((category) => categories.includes(category));
    const share = (part: number, whole: number) => (whole === 0 ? 0 : part / whole);
    return (
      4 * share(named.length, skills.length) +
      3 * share(held.length, wanted.categories.length) +
      ((rating ?? 3) - 3) / 2 -
      4 * share(load, load + 4)
    );
  }

  it("built-in agents without limits get the same scores as before other executors existed", () => {
    fc.assert(
      fc.property(
        need,
        candidate.map((one) => ({
          ...one,
          executor: "builtin" as const,
          maxConcurrentTasks: null,
        })),
        (wanted, one) => {
          const loss = canRead(wanted, one) ? 0 : 40;
          expect(scoreOf(wanted, one)).toBeCloseTo(earlier(wanted, one) - loss, 2);
        },
      ),
    );
  });
});
