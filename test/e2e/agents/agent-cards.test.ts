import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { get, patch, post } from "../../support/client.ts";
import { originOf } from "../../support/server-tools.ts";
import { expectProblems, expectError } from "../../support/expect-errors.ts";

const CARDS = originOf("agent-cards");
const a2a = (path: string, origin = CARDS) => ({ type: "a2a", cardUrl: `${origin}${path}` });
const KEYED = { ...a2a("/keyed.json"), apiKey: "card-key", apiKeyHeader: "X-Key" };

async function requestsFor(path: string): Promise<number> {
  const response = await fetch(`${CARDS}/seen`);
  return (await response.json<Record<string, number>>())[path] ?? 0;
}

describe("registering an A2A agent by its card", () => {
  it("registration by card takes values from the card if the body omits them", async () => {
    const { status, body } = await post("/agents", { id: "weather", executor: a2a("/good.json") });
    expect(status).toBe(201);
    expect(body.data).toMatchObject({
      id: "weather",
      name: "Weather agent",
      description: "Knows tomorrow's weather.",
      skills: ["weather", "wind"],
      executor: { ...a2a("/good.json"), hasApiKey: false },
    });
    expect((await get("/agents/weather")).body.data).toEqual(body.data);
  });

  it("registration by card prefers the values in the body", async () => {
    const given = { name: "Mine", description: "", skills: ["other"] };
    const body = { id: "given", ...given, executor: a2a("/good.json") };
    expect((await post("/agents", body)).body.data).toMatchObject(given);
  });

  it("registration by card copies only valid values from an oversized card", async () => {
    const { status, body } = await post("/agents", {
      id: "endless",
      executor: a2a("/endless.json"),
    });
    expect(status, JSON.stringify(body)).toBe(201);
    const { name, description, skills } = body.data;
    expect(name.length).toBeLessThanOrEqual(200);
    expect(description.length).toBeLessThanOrEqual(2_000);
    expect(skills.length).toBeLessThanOrEqual(50);
    expect(new Set(skills).size).toBe(skills.length);
    for (const text of [name, description, ...skills]) {
      expect(text).toMatch(/\S/);
      expect(text).not.toContain("\u0000");
      expect(text.isWellFormed()).toBe(true);
    }
    // A PATCH accepts the copied values.
    expect((await patch("/agents/endless", { name, description, skills })).status).toBe(200);
  });

  it.each([
    ["that does not exist", "/nowhere", /404/],
    ["that is not JSON", "/text", /not JSON/],
    ["for another A2A version", "/old.json", /A2A 1\.0/],
    ["with an endpoint on another origin", "/elsewhere.json", /different origin/],
    ["that requires a key", "/keyed.json", /requires a key/],
  ])("a card %s is rejected and no agent is registered", async (_, path, message) => {
    const answer = await post("/agents", { id: "refused", executor: a2a(path) });
    expectProblems(answer, { "executor.cardUrl": message });
    expectError(await get("/agents/refused"), 404, "AGENT_NOT_FOUND");
  });

  it("a card request that hangs times out, and no agent is registered", async () => {
    const answer = await post("/agents", { id: "refused", executor: a2a("/hangs") });
    expectProblems(answer, { "executor.cardUrl": /did not respond within \d+ seconds/ });
    expectError(await get("/agents/refused"), 404, "AGENT_NOT_FOUND");
  });

  it("a taken id or an unknown team is reported before the card is fetched", async () => {
    const before = await requestsFor("/good.json");
    const executor = a2a("/good.json");
    expectError(await post("/agents", { id: "researcher", executor }), 409, "AGENT_EXISTS");
    const teamless = await post("/agents", { id: "new", teams: ["nobody"], executor });
    expectError(teamless, 404, "TEAM_NOT_FOUND");
    expect(await requestsFor("/good.json")).toBe(before);
  });
});

describe("an A2A agent's key", () => {
  it("an A2A agent's key is sent for its card, in a header or as a bearer token, and is never shown", async () => {
    const answers = [
      await post("/agents", { id: "keyed", executor: KEYED }),
      await post("/agents", {
        id: "bearer",
        executor: { ...a2a("/bearer.json"), apiKey: "card-key" },
      }),
      await post("/agents", { id: "wrong", executor: { ...KEYED, apiKey: "wrong-key" } }),
    ];
    expect(answers.map(({ status }) => status)).toEqual([201, 201, 400]);
    expect(answers[2]?.body.error.message).toContain("rejects the agent's key");
    for (const { text } of answers) expect(text).not.toMatch(/card-key|wrong-key/);
    const { results } = await env.DB.prepare("SELECT * FROM agents").all();
    expect(JSON.stringify(results)).not.toContain("card-key");
  });

  it("an A2A agent keeps its key and header for another card on the same origin, but not for one on another origin", async () => {
    await post("/agents", { id: "moving", executor: KEYED });
    const same = await patch("/agents/moving", { executor: a2a("/keyed.json") });
    expect([same.status, same.body.data.executor.hasApiKey]).toEqual([200, true]);
    const otherOrigin = a2a("/keyed.json", CARDS.replace("127.0.0.1", "localhost"));
    expectProblems(await patch("/agents/moving", { executor: otherOrigin }), {
      "executor.cardUrl": /requires a key/,
    });
    expect((await get("/agents/moving")).body.data).toEqual(same.body.data);
    const without = await patch("/agents/moving", { executor: { ...KEYED, apiKey: null } });
    expectProblems(without, { "executor.apiKeyHeader": "must be sent together with apiKey" });
    const none = await patch("/agents/moving", {
      executor: { ...a2a("/good.json"), apiKey: null },
    });
    expect([none.status, none.body.data.executor.hasApiKey]).toEqual([200, false]);
    expectProblems(await patch("/agents/moving", { executor: a2a("/keyed.json") }), {
      "executor.cardUrl": /requires a key/,
    });
  });

  it("changing an agent's card changes neither its name nor its skills", async () => {
    await post("/agents", { id: "renamed", name: "Mine", skills: ["own"] });
    const { body } = await patch("/agents/renamed", { executor: a2a("/good.json") });
    expect(body.data).toMatchObject({ name: "Mine", description: "", skills: ["own"] });
  });
});
