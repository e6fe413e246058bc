import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { Rng } from "../support/rng.ts";
import { stopClock } from "../support/tasks.ts";
import { fakeExternalSystems } from "./external-systems.ts";
import { workerScenario } from "./scenarios/worker.ts";
import { webhookScenario } from "./scenarios/webhook.ts";
import { builtinAgentScenario } from "./scenarios/builtin-agent.ts";
import { modelTurnsScenario } from "./scenarios/model-turns.ts";
import { provideScriptedModel } from "./scripted-model.ts";
import { runScenario } from "./run-scenario.ts";
import { SEED } from "./settings.ts";
import { ALARM_MODES, countHandledTurns } from "./alarm-driver.ts";

const SCENARIOS = {
  builtinAgent: builtinAgentScenario,
  worker: workerScenario,
  modelTurns: modelTurnsScenario,
  webhook: webhookScenario,
};
const ROUNDS = 3;
const STRAYS_MIN = 250;

const cases = Object.entries(SCENARIOS).flatMap(([name, journey]) =>
  ALARM_MODES.map((manner) => ({ name, journey, manner })),
);
const rounds = Object.entries(SCENARIOS).flatMap(([name, journey]) =>
  Array.from({ length: ROUNDS }, (_, round) => ({ name, journey, seed: SEED + round })),
);

let strays = 0;
let successes = 0;

beforeAll(() => {
  stopClock();
  vi.spyOn(console, "warn").mockImplementation(() => {});
  vi.spyOn(console, "error").mockImplementation(() => {});
  const undo = [countHandledTurns(), provideScriptedModel(), fakeExternalSystems()];
  return () => {
    for (const back of undo) back();
    vi.restoreAllMocks();
  };
});
afterAll(() => {
  const runs = cases.length + rounds.length;
  console.log(`alarms: ${runs} runs, ${strays} stray alarms, ${successes} successful requests`);
});

describe("a scenario with irregular alarms", () => {
  it.each(cases)(
    "the $name scenario reaches the same end with alarms in $manner mode",
    async ({ journey, manner }) => {
      const shown = await runScenario(journey, null, { manner, duringCalls: null });
      if (manner === "twice" || manner === "early") expect(shown.spuriousAlarms).toBeGreaterThan(0);
      expect(shown.retries).toBe(0);
      strays += shown.spuriousAlarms;
      successes += shown.successes;
    },
  );

  it.each(rounds)(
    "the $name scenario reaches the same end with alarms in the middle of calls (seed $seed)",
    async (round) => {
      const alarms = { manner: "set", duringCalls: new Rng(round.seed) } as const;
      const shown = await runScenario(round.journey, null, alarms);
      expect(shown.spuriousAlarms).toBeGreaterThan(0);
      strays += shown.spuriousAlarms;
      successes += shown.successes;
    },
  );

  it("the runs include enough spurious alarms and successful requests", () => {
    expect(strays).toBeGreaterThan(STRAYS_MIN);
    expect(successes).toBeGreaterThan((cases.length + rounds.length) * 5);
  });
});
