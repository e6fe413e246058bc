// npm run soak: runs thousands of tasks of all kinds through one service and injects faults. All tasks must end, and
// memory must not grow. SOAK_TASKS and SOAK_SECONDS limit the run. SOAK_SEED repeats the plan of an earlier run.
import { runSoak } from "./proof/soak.ts";
import { setting } from "./proof/setting.ts";
import { conclude, speaker } from "./proof/report.ts";
import { memoryViolations, missedBySoak, soakTable, TASKS_FULL } from "./proof/soak-report.ts";

const SECONDS_MAX = 780;

const seed = setting("SOAK_SEED", Math.floor(Math.random() * 2 ** 31), 0, 2 ** 32 - 1);
const tasks = setting("SOAK_TASKS", TASKS_FULL, 10, 2 * TASKS_FULL);
const seconds = setting("SOAK_SECONDS", SECONDS_MAX, 1, SECONDS_MAX);
console.log(`SOAK_SEED=${seed} SOAK_TASKS=${tasks} SOAK_SECONDS=${seconds}`);
const soaked = await runSoak({ seed, tasks, seconds, say: speaker() });
console.log(soakTable(soaked));
conclude({
  missed: missedBySoak(soaked, tasks),
  violations: [...memoryViolations(soaked, tasks), ...soaked.violations],
  history: soaked.history,
  short: tasks < TASKS_FULL ? `${tasks} of ${TASKS_FULL} tasks` : null,
  seed: `SOAK_SEED=${seed}`,
});
