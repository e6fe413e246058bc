import { expect, it } from "vitest";
import { simulate } from "./simulate.ts";

/** Seeds in which something was wrong once, or with a mutant, with what: each is lived again as long as it stands here. */
const KEPT: readonly (readonly [seed: number, what: string])[] = [
  [
    1_400,
    "a call while an alarm ended put a later wake-up before what was owed: the feed lacked an event",
  ],
  [298, "a directory row was changed as if it were another than the one that lay there"],
  [11_651, "word that a task has left a queue went to the queue of the agent it was to have next"],
  [163, "a task whose files did not answer was never deleted"],
  [5_848, "the row of a task that was being deleted was written again, and came late"],
  [20_494, "a task that ended before its queue confirmed the entry kept its place"],
  [3_722, "a task that went to another agent kept its place in the queue of the one before"],
  [92, "a webhook without room for deliveries skipped events that waited in the feed"],
  [1_512, "a call that ended late settled a later call to the same webhook, which had failed"],
  [11_527, "a webhook whose new filter did not reach the feed waited for another event"],
  [422, "the feed's alarm for old events replaced the one for webhooks that were not called"],
  [12_444, "a wake-up that was set after an alarm had failed took the place of its repetition"],
];

it.each(KEPT)("seed %i runs without violations (earlier error: %s)", async (seed) => {
  const { violations: faults, lines } = await simulate(seed, true);
  expect([...faults, ...(faults.length > 0 ? lines : [])]).toEqual([]);
  // A seed whose life has become another one proves little: it must still be a life.
  expect(lines.length).toBeGreaterThan(20);
});
