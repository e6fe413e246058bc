import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Bosun } from "../../../scripts/proof/bosun.ts";
import { raceApprovals } from "../../../scripts/proof/approvals/races.ts";
import { startTarget, type Target } from "../../../scripts/proof/approvals/target.ts";
import { Rng } from "../../../scripts/proof/rng.ts";
import { setting } from "../../../scripts/proof/setting.ts";
import { startBundled } from "./processes.ts";

const PATIENCE_MS = 400_000;
const CALLS = setting("RACES_CALLS", 1_000, 100, 10_000);
const KILLS = setting("RACES_KILLS", 8, 0, 100);
const SEED = setting("RACES_SEED", 20_261_128, 0, 2 ** 32 - 1);

let bosun: Bosun;
let target: Target;

beforeAll(async () => {
  target = await startTarget(new Rng(SEED));
  bosun = await startBundled({ ALLOW_PRIVATE_EGRESS: "true" });
}, PATIENCE_MS);

afterAll(async () => {
  await bosun.stop();
  await target.close();
});

describe("decisions that race while the service is killed", () => {
  it(
    "each stored call is sent at most once, never without its approvals, and without a changed byte",
    { timeout: PATIENCE_MS },
    async () => {
      const startedAt = Date.now();
      const rng = new Rng(SEED).branch("races");
      const outcome = await raceApprovals(bosun, target, rng, { calls: CALLS, kills: KILLS });
      const { violations, statuses, sent, rejected, kills } = outcome;
      const seconds = ((Date.now() - startedAt) / 1_000).toFixed(0);
      console.log(`${CALLS} calls, ${kills} kills, ${sent} sent, ${rejected} decisions rejected`);
      console.log(`${JSON.stringify(statuses)} in ${seconds} s, RACES_SEED=${SEED}`);
      expect(violations).toEqual([]);
      expect(kills).toBe(KILLS);
      // Without these, the run would prove little.
      expect(sent).toBeGreaterThan(CALLS / 5);
      expect(statuses["denied"]).toBeGreaterThan(CALLS / 10);
      expect(statuses["expired"]).toBeGreaterThan(CALLS / 100);
      expect(rejected).toBeGreaterThan(CALLS);
    },
  );
});
