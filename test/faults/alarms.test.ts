import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { Dice } from "../domain/dice.ts";
import { stopClock } from "../support/tasks.ts";
import { standInElsewhere } from "./elsewhere.ts";
import { hands } from "./journeys/hands.ts";
import { hooks } from "./journeys/hooks.ts";
import { life } from "./journeys/life.ts";
import { turns } from "./journeys/turns.ts";
import { provideModel } from "./model.ts";
import { run } from "./run.ts";
import { SEED } from "./settings.ts";
import { ALARM_MANNERS, countMail } from "./world.ts";

const JOURNEYS = { life, hands, turns, hooks };
const ROUNDS = 3;
const STRAYS_MIN = 250;

const cases = Object.entries(JOURNEYS).flatMap(([name, journey]) =>
  ALARM_MANNERS.map((manner) => ({ name, journey, manner })),
);
const rounds = Object.entries(JOURNEYS).flatMap(([name, journey]) =>
  Array.from({ length: ROUNDS }, (_, round) => ({ name, journey, seed: SEED + round })),
);

let strays = 0;
let successes = 0;

beforeAll(() => {
  stopClock();
  vi.spyOn(console, "warn").mockImplementation(() => {});
  vi.spyOn(console, "error").mockImplementation(() => {});
  const undo = [countMail(), provideModel(), standInElsewhere()];
  return () => {
    for (const back of undo) back();
    vi.restoreAllMocks();
  };
});
afterAll(() => {
  const lives = cases.length + rounds.length;
  console.log(`alarms: ${lives} journeys, ${strays} stray alarms, ${successes} requests answered`);
});

describe("a journey comes to the same end", () => {
  it.each(cases)("$name with alarms that come $manner", async ({ journey, manner }) => {
    const shown = await run(journey, null, { manner, duringCalls: null });
    if (manner === "twice" || manner === "early") expect(shown.strays).toBeGreaterThan(0);
    expect(shown.setbacks).toBe(0);
    strays += shown.strays;
    successes += shown.successes;
  });

  it.each(rounds)("$name with alarms in the middle of calls (seed $seed)", async (round) => {
    const alarms = { manner: "set", duringCalls: new Dice(round.seed) } as const;
    const shown = await run(round.journey, null, alarms);
    expect(shown.strays).toBeGreaterThan(0);
    strays += shown.strays;
    successes += shown.successes;
  });

  it("after alarms enough to prove something", () => {
    expect(strays).toBeGreaterThan(STRAYS_MIN);
    expect(successes).toBeGreaterThan((cases.length + rounds.length) * 5);
  });
});
