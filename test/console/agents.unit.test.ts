import { describe, expect, it } from "vitest";
import { agentChoices, whyAgentWaits } from "../../console/src/agents/agent-choices.ts";
import {
  agentChanges,
  agentDraft,
  EMPTY_AGENT,
  newAgentBody,
  type AgentDraft,
} from "../../console/src/agents/agent-form.ts";
import { EMPTY_EXECUTOR, executorBody, PROVIDERS } from "../../console/src/agents/executor-form.ts";
import { EXECUTOR_TYPES, readAgentFilters } from "../../console/src/agents/filters.ts";
import { agentStatistics, median } from "../../console/src/agents/statistics.ts";
import { changeAgentBody, registerAgentBody } from "../../src/agents/schemas.ts";
import { Rng } from "../support/rng.ts";

function modelAgent(): Parameters<typeof agentDraft>[0] {
  return {
    id: "writer",
    name: "Writer",
    description: "Writes",
    skills: ["a, b", "c"],
    teams: ["studio"],
    enabled: true,
    maxConcurrentTasks: null,
    requireReview: false,
    noProgress: { failedAttempts: 5, calls: 50, cost: 5 },
    paused: null,
    createdAt: "2030-01-31T12:00:00.000Z",
    executor: {
      type: "model",
      provider: "openai-compatible",
      model: "m-1",
      baseUrl: "https://models.example/v1",
      headerNames: ["X-Team"],
      prices: { inputPerMillion: 1.5, outputPerMillion: 0 },
      maxTurns: 20,
      maxOutputTokens: 4_096,
      hasApiKey: true,
    },
  };
}

function randomDraft(rng: Rng): AgentDraft {
  const provider = PROVIDERS[rng.below(PROVIDERS.length)] ?? "anthropic";
  return {
    ...EMPTY_AGENT,
    id: "writer",
    name: "Writer",
    skills: rng.oneIn(2) ? "" : "summary, research,, chart ",
    teams: rng.oneIn(2) ? [] : ["studio"],
    enabled: rng.oneIn(2),
    maxConcurrentTasks: rng.oneIn(2) ? "" : "3",
    requireReview: rng.oneIn(2),
    executor: {
      ...EMPTY_EXECUTOR,
      type: EXECUTOR_TYPES[rng.below(EXECUTOR_TYPES.length)] ?? "builtin",
      provider,
      model: "m-1",
      ...(provider !== "workers-ai" && {
        baseUrl: "https://models.example/v1",
        apiKey: rng.oneIn(2) ? "" : "secret",
        headers: rng.oneIn(2) ? "" : "X-Team: blue",
      }),
      temperature: rng.oneIn(2) ? "" : "0.5",
      inputPrice: rng.oneIn(2) ? "" : "2",
      maxTurns: rng.oneIn(2) ? "" : "7",
      cardUrl: "https://agent.example/card.json",
      taskPrice: rng.oneIn(2) ? "" : "0.5",
      minutePrice: rng.oneIn(2) ? "" : "0",
    },
  };
}

describe("the form of an agent", () => {
  it("makes bodies that the API's schema accepts", () => {
    for (let seed = 0; seed < 300; seed += 1) {
      const body = newAgentBody(randomDraft(new Rng(seed)));
      expect(registerAgentBody.safeParse(body).error).toBeUndefined();
    }
  });

  it("changes nothing if it is untouched, even a skill with a comma", () => {
    const agent = modelAgent();
    expect(agentChanges(agent, agentDraft(agent))).toEqual({});
  });

  it("sends only the fields that were changed", () => {
    const agent = modelAgent();
    const draft = { ...agentDraft(agent), name: "Author ", maxConcurrentTasks: "2" };
    const changes = agentChanges(agent, draft);
    expect(changes).toEqual({ name: "Author", maxConcurrentTasks: 2 });
    expect(changeAgentBody.safeParse(changes).error).toBeUndefined();
  });

  it("sends the whole executor without its secrets if one of its fields was changed", () => {
    const agent = modelAgent();
    const draft = agentDraft(agent);
    const changes = agentChanges(agent, {
      ...draft,
      executor: { ...draft.executor, model: "m-2", apiKey: "typed but kept" },
    });
    expect(changes).toEqual({
      executor: {
        type: "model",
        provider: "openai-compatible",
        model: "m-2",
        baseUrl: "https://models.example/v1",
        prices: { inputPerMillion: 1.5, outputPerMillion: 0 },
        maxTurns: 20,
        maxOutputTokens: 4_096,
      },
    });
    expect(changeAgentBody.safeParse(changes).error).toBeUndefined();
  });

  it("replaces or deletes a secret only if that was chosen", () => {
    const { executor } = agentDraft(modelAgent());
    expect(executorBody({ ...executor, keyAction: "delete" })).toMatchObject({ apiKey: null });
    expect(executorBody({ ...executor, keyAction: "replace", apiKey: "new" })).toMatchObject({
      apiKey: "new",
    });
    expect(executorBody({ ...executor, headersAction: "delete" })).toMatchObject({ headers: null });
  });
});

describe("the filters of the agents", () => {
  it("ignore values that are unknown", () => {
    const search = { search: "count", executor: "a2a", enabled: "false", teamId: "studio" };
    expect(readAgentFilters({ ...search, show: "all" })).toEqual(search);
    // The router reads `false` as a boolean.
    expect(readAgentFilters({ enabled: false, executor: "robot" })).toEqual({ enabled: "false" });
  });
});

describe("the figures of an agent", () => {
  it("count completed and failed tasks, and leave out the others", () => {
    const at = (seconds: number): string => new Date(seconds * 1_000).toISOString();
    const figures = agentStatistics([
      { status: "completed", startedAt: at(10), endedAt: at(14) },
      { status: "completed", startedAt: at(10), endedAt: at(12) },
      { status: "failed", startedAt: at(10), endedAt: at(99) },
      { status: "cancelled", endedAt: at(50) },
      { status: "in_progress", startedAt: at(10) },
    ]);
    expect(figures).toEqual({ ended: 3, successRate: 2 / 3, medianDurationMs: 3_000 });
    expect(agentStatistics([])).toEqual({ ended: 0, successRate: null, medianDurationMs: null });
  });

  it("use a median that has as many smaller as larger values", () => {
    for (let seed = 0; seed < 200; seed += 1) {
      const rng = new Rng(seed);
      const values = Array.from({ length: rng.between(1, 30) }, () => rng.below(20));
      const middle = median(values) ?? Number.NaN;
      const smaller = values.filter((value) => value < middle).length;
      const larger = values.filter((value) => value > middle).length;
      expect(Math.max(smaller, larger)).toBeLessThanOrEqual(values.length / 2);
    }
  });
});

describe("the agents to choose from", () => {
  const ADA = { id: "ada", name: "Ada", enabled: true };
  const NIGHT = { id: "night", name: "Night shift", enabled: true, online: false };
  const labels = (...given: Parameters<typeof agentChoices>) =>
    agentChoices(...given).map(({ label }) => label);

  it("the agents to choose from are sorted by name, and an agent whose workers are offline is marked", () => {
    const choices = agentChoices([NIGHT, { ...NIGHT, id: "day", name: "Day", online: true }, ADA], {
      id: "night",
    });
    expect(choices).toEqual([
      { id: "ada", label: "Ada", isImpossible: false },
      { id: "day", label: "Day", isImpossible: false },
      { id: "night", label: "Night shift (offline)", isImpossible: false },
    ]);
  });

  it("a disabled agent cannot be chosen, unless the task has it", () => {
    const disabled = { ...NIGHT, enabled: false };
    const [choice] = agentChoices([disabled], { id: "" });
    expect(choice).toEqual({ id: "night", label: "Night shift (disabled)", isImpossible: true });
    expect(agentChoices([disabled], { id: "night" })[0]?.isImpossible).toBe(false);
  });

  it("agents with the same name are shown with their ids", () => {
    expect(labels([ADA, { ...ADA, id: "ada-2" }], { id: "" })).toEqual([
      "Ada (ada)",
      "Ada (ada-2)",
    ]);
  });

  it("agents are sorted by name, and shown with the start of their descriptions", () => {
    const long = { ...ADA, id: "ada-long", name: "Ada Long", description: "\u{1F600}".repeat(100) };
    expect(labels([long, { ...ADA, description: "Zips" }], { id: "" })).toEqual([
      "Ada: Zips",
      `Ada Long: ${"\u{1F600}".repeat(60)}…`,
    ]);
  });

  it("the current agent is listed even if it is unknown", () => {
    expect(labels([], { id: "ada", name: "Ada" })).toEqual(["Ada"]);
    expect(labels([ADA], { id: "gone" })).toEqual(["Ada", "gone"]);
    expect(labels([ADA], { id: "" })).toEqual(["Ada"]);
  });

  it("an agent that is offline or disabled comes with the reason why a task would wait for it", () => {
    expect(whyAgentWaits(NIGHT)).toBe("No worker of this agent is online.");
    expect(whyAgentWaits({ ...NIGHT, enabled: false })).toBe("This agent is disabled.");
    for (const agent of [ADA, { ...NIGHT, online: true }, undefined])
      expect(whyAgentWaits(agent)).toBeNull();
  });
});
