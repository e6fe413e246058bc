import { expect, inject, it } from "vitest";
import { missedMinimums, tableOf } from "../../../scripts/proof/chaos-report.ts";
import { runChaos } from "../../../scripts/proof/chaos.ts";
import { setting } from "../../../scripts/proof/setting.ts";
import { sabotages } from "./sabotages.ts";

const SEED = setting("CHAOS_SEED", 6, 0);
const KILLS = 5;
const FAULT_SCHEDULE = {
  kills: KILLS,
  freezes: 3,
  pauseMaxMs: 800,
  writesBetween: 20,
  freezeMaxMs: 800,
  seconds: 150,
};
const PATIENCE_MS = 240_000;

it(
  `${KILLS} kills and some freezes under load lose and duplicate nothing, and the checks detect each sabotage`,
  async () => {
    const verdict = await runChaos({
      seed: SEED,
      schedule: FAULT_SCHEDULE,
      tasksMax: 200,
      settleMaxMs: 40_000,
      say: () => {},
      bundle: inject("bundle"),
    });
    const { violations, figures, evidence } = verdict;
    console.log(`CHAOS_SEED=${SEED}\n${tableOf(figures)}`);
    const unexpected = violations.map(({ rule, about, message }) => ({
      rule,
      message,
      history: about === null ? [] : evidence.history.about(about),
    }));
    expect(unexpected).toEqual([]);
    expect(missedMinimums(figures, KILLS)).toEqual([]);
    expect(figures.freezes).toBeGreaterThanOrEqual(2);

    // Each check must detect its own sabotage of the same run.
    const sabotaged = sabotages(verdict);
    for (const [what, found] of sabotaged) expect(found, what).not.toEqual([]);
  },
  PATIENCE_MS,
);
