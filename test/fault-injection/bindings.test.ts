import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { stopClock } from "../support/tasks.ts";
import { BINDINGS, type Binding } from "./interpose-bindings.ts";
import { fakeExternalSystems } from "./external-systems.ts";
import { FAULT_MODES, type FaultMode } from "./injection.ts";
import { workerScenario } from "./scenarios/worker.ts";
import { webhookScenario } from "./scenarios/webhook.ts";
import { builtinAgentScenario } from "./scenarios/builtin-agent.ts";
import { agentRegistryScenario } from "./scenarios/agent-registry.ts";
import { oauthTokensScenario } from "./scenarios/oauth-tokens.ts";
import { modelTurnsScenario } from "./scenarios/model-turns.ts";
import { provideScriptedModel } from "./scripted-model.ts";
import { runScenario } from "./run-scenario.ts";
import { NTHS_MAX } from "./settings.ts";
import { countHandledTurns } from "./alarm-driver.ts";

const SCENARIOS = {
  builtinAgent: builtinAgentScenario,
  agentRegistry: agentRegistryScenario,
  worker: workerScenario,
  modelTurns: modelTurnsScenario,
  webhook: webhookScenario,
  oauthTokens: oauthTokensScenario,
};
/**
 * The minimum number of failures for each binding and mode. The other minimums apply to the entire
 * run.
 */
const PAIR_MIN = 1;
const SHARE = Math.min(1, NTHS_MAX / 3);
const FAULTS_MIN = 300 * SHARE;
const SUCCESSES_MIN = 2_000 * SHARE;
/** The share of planned failures that must actually occur. */
const FIRED_MIN = 0.95;

stopClock();
vi.spyOn(console, "warn").mockImplementation(() => {});
vi.spyOn(console, "error").mockImplementation(() => {});
const undo = [countHandledTurns(), provideScriptedModel(), fakeExternalSystems()];

const injected = new Map<string, number>();
let fired = 0;
let successes = 0;
let setbacks = 0;

/**
 * Runs a scenario twice without failures, and returns the smaller number of calls to each binding.
 */
async function callsOf(journey: keyof typeof SCENARIOS): Promise<(binding: Binding) => number> {
  const shown = [
    await runScenario(SCENARIOS[journey], null),
    await runScenario(SCENARIOS[journey], null),
  ];
  return (binding) => Math.min(...shown.map(({ calls }) => calls(binding)));
}

/**
 * Returns which calls fail: all of them if there are at most `limit`, otherwise the first, the
 * last, and some in between.
 */
function spread(count: number, limit: number): number[] {
  if (count <= limit) return Array.from({ length: count }, (_, index) => index + 1);
  const stepped = Array.from({ length: limit }, (_, index) =>
    Math.round(1 + (index * (count - 1)) / (limit - 1)),
  );
  return [...new Set(stepped)];
}

const cases: [keyof typeof SCENARIOS, Binding, number, FaultMode][] = [];
for (const name of Object.keys(SCENARIOS) as (keyof typeof SCENARIOS)[]) {
  const calls = await callsOf(name);
  for (const binding of BINDINGS) {
    for (const manner of FAULT_MODES) {
      // The calls of a turn to its task overlap with other calls, so a sample could miss one.
      const isEach = name === "modelTurns" && binding === "TASKS" && manner === "hang";
      const limit = isEach ? Infinity : NTHS_MAX;
      for (const nth of spread(calls(binding), limit)) cases.push([name, binding, nth, manner]);
    }
  }
}

beforeAll(stopClock);
afterAll(() => {
  for (const back of undo) back();
  vi.restoreAllMocks();
  const faults = [...injected].map(([what, count]) => `${what} ${count}`);
  console.log(
    `faults: ${fired} of ${cases.length}: ${faults.join(", ")}; ${successes} requests answered, ${setbacks} repeated`,
  );
});

describe("a scenario with one failed binding call", () => {
  it.for(cases)(
    "the %s scenario survives a failure of %s at call %d (%s)",
    async ([name, binding, nth, manner], ctx) => {
      const shown = await runScenario(SCENARIOS[name], { binding, mode: manner, nth });
      expect(shown.successes).toBeGreaterThan(0);
      successes += shown.successes;
      setbacks += shown.retries;
      // Concurrent calls race, so a scenario does not always reach its last calls.
      if (!shown.hasFired) return ctx.skip("this call was not made in this run");
      const pair = `${binding} ${manner}`;
      injected.set(pair, (injected.get(pair) ?? 0) + 1);
      fired += 1;
    },
  );

  it("failures occur in every binding and mode, and in almost all planned calls", () => {
    for (const binding of BINDINGS) {
      for (const manner of FAULT_MODES) {
        const pair = `${binding} ${manner}`;
        expect(injected.get(pair), pair).toBeGreaterThanOrEqual(PAIR_MIN);
      }
    }
    expect(fired).toBeGreaterThan(FAULTS_MIN);
    expect(fired).toBeGreaterThan(cases.length * FIRED_MIN);
    expect(successes).toBeGreaterThan(SUCCESSES_MIN);
  });
});
