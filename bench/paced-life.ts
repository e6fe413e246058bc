import { median } from "simple-statistics";
import { startContestants, stopAll, THIS, type Contestant } from "./field.ts";
import { lives } from "./life.ts";
import { lifeUseOf } from "./life-use.ts";
import type { PacedLife } from "./results.ts";
import { useOfLives } from "./use.ts";

/** How many lifecycles warm up the runtime, and how many are measured. */
const WARMING = 64;
const LIVES = 128;

/** The pause that `npm run dev` sets. */
const PAUSE_MS = 500;

/**
 * What the platform bills for a Bosun lifecycle with a pause before each step, counted and measured in the same way as
 * for lifecycles without pauses.
 */
export async function pacedLife(): Promise<PacedLife> {
  const use = await alone(PAUSE_MS, true, useOfLives);
  const { requests, processorMs } = await alone(PAUSE_MS, false, async (one) => {
    const { latenciesMs } = await lives({ ...one, amount: WARMING });
    return lives({ ...one, amount: LIVES, usualMs: median([...latenciesMs]) });
  });
  return { pauseMs: PAUSE_MS, use: lifeUseOf(use, processorMs / requests) };
}

/** Starts only Bosun, with this pause. */
async function alone<Value>(
  pauseMs: number,
  isCounted: boolean,
  work: (one: Contestant) => Promise<Value>,
): Promise<Value> {
  const contestants = await startContestants(pauseMs, { names: [THIS], isCounted });
  try {
    const [one] = contestants;
    if (one === undefined) throw new Error(`${THIS} did not start`);
    return await work(one);
  } finally {
    await stopAll(contestants);
  }
}
