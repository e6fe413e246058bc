// npm run chaos: randomly kills and freezes the service under load, then compares its state with what clients saw.
// CHAOS_SEED repeats the plan of an earlier run. CHAOS_KILLS and CHAOS_SECONDS limit the run.
import { runChaos } from "./proof/chaos.ts";
import { setting } from "./proof/setting.ts";
import { missedMinimums, tableOf } from "./proof/chaos-report.ts";
import { conclude, speaker } from "./proof/report.ts";

const SECONDS_MAX = 600;
/** A run with fewer kills is reported as a short run. */
const KILLS_FULL = 50;

const seed = setting("CHAOS_SEED", Math.floor(Math.random() * 2 ** 31), 0, 2 ** 32 - 1);
const kills = setting("CHAOS_KILLS", KILLS_FULL, 1, 2 * KILLS_FULL);
const seconds = setting("CHAOS_SECONDS", 480, 1, SECONDS_MAX);
console.log(`CHAOS_SEED=${seed} CHAOS_KILLS=${kills} CHAOS_SECONDS=${seconds}`);
const verdict = await runChaos({
  seed,
  schedule: {
    kills,
    freezes: Math.ceil(kills / 2),
    pauseMaxMs: 4_000,
    writesBetween: 25,
    freezeMaxMs: 3_000,
    seconds,
  },
  tasksMax: 3_000,
  settleMaxMs: 90_000,
  say: speaker(),
});
console.log(tableOf(verdict.figures));
conclude({
  missed: missedMinimums(verdict.figures, kills),
  violations: verdict.violations,
  history: verdict.evidence.history,
  short: kills < KILLS_FULL ? `${kills} of ${KILLS_FULL} kills` : null,
  seed: `CHAOS_SEED=${seed}`,
});
