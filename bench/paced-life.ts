import { median } from "simple-statistics";
import { field, stopAll, THIS, type Contestant } from "./field.ts";
import { lives } from "./life.ts";
import { lifeUseOf } from "./life-use.ts";
import type { PacedLife } from "./results.ts";
import { useOfLives } from "./use.ts";

/** Lives that warm it, and then those whose processor time counts. */
const WARMING = 64;
const LIVES = 128;

/** The pause that `npm run dev` sets. */
const PAUSE_MS = 500;

/** A life of this service with a pause before each step, counted and then measured as those without a pause are. */
export async function pacedLife(): Promise<PacedLife> {
  const use = await alone(PAUSE_MS, true, useOfLives);
  const { requests, processorMs } = await alone(PAUSE_MS, false, async (one) => {
    const { latenciesMs } = await lives({ ...one, amount: WARMING });
    return lives({ ...one, amount: LIVES, usualMs: median([...latenciesMs]) });
  });
  return { pauseMs: PAUSE_MS, use: lifeUseOf(use, processorMs / requests) };
}

/** This service at such a pace, with nobody beside it. */
async function alone<Value>(
  pauseMs: number,
  isCounted: boolean,
  work: (one: Contestant) => Promise<Value>,
): Promise<Value> {
  const contestants = await field(pauseMs, { names: [THIS], isCounted });
  try {
    const [one] = contestants;
    if (one === undefined) throw new Error(`${THIS} must take part`);
    return await work(one);
  } finally {
    await stopAll(contestants);
  }
}
