import { setTimeout as pause } from "node:timers/promises";
import { linearRegression } from "simple-statistics";
import type { Bosun } from "../bosun.ts";
import { rest } from "../pace.ts";
import { heapBytes } from "./heap.ts";

const SAMPLE_MS = 1_000;
/** The runtime evicts an object that has been idle for ten seconds. */
const REST_MS = 12_000;
const MIB = 2 ** 20;
/** Classes with one object per task or key. Workers and the follower keep the objects of other classes in memory. */
const PER_TASK = ["TaskObject", "OnceObject"];

/** The memory of the runtime's process; `ended` is the number of tasks that have ended. */
export interface Sample {
  readonly at: number;
  readonly ended: number;
  readonly mib: number;
  /** The Worker's JavaScript heap, including garbage that has not been collected. */
  readonly heapMib: number;
}

/** A sample taken while no requests are sent. */
export interface Rest extends Sample {
  readonly open: number;
  /** The smallest heap since the previous rest, which is its size after a garbage collection. */
  readonly floorMib: number;
}

/** Samples the memory of the runtime's process until the signal aborts. */
export async function watchMemory(
  bosun: Bosun,
  ended: () => number,
  leaving: AbortSignal,
  samples: Sample[],
): Promise<void> {
  const startedAt = Date.now();
  do {
    const at = (Date.now() - startedAt) / 1_000;
    samples.push(await sampleOf(bosun, at, ended()));
  } while (await rest(SAMPLE_MS, leaving));
}

async function sampleOf(bosun: Bosun, at: number, ended: number): Promise<Sample> {
  const heapMib = (await heapBytes(await bosun.inspector())) / MIB;
  return { at, ended, mib: bosun.residentBytes() / MIB, heapMib };
}

/** Measures the memory after idle objects have been evicted. */
export async function restingMemory(
  bosun: Bosun,
  ended: number,
  since: readonly Sample[],
): Promise<Rest> {
  await pause(REST_MS);
  const sample = await sampleOf(bosun, Date.now(), ended);
  const floorMib = Math.min(sample.heapMib, ...since.map(({ heapMib }) => heapMib));
  const objects = bosun.openObjects();
  const open = PER_TASK.reduce((sum, name) => sum + (objects.get(name) ?? 0), 0);
  return { ...sample, open, floorMib };
}

/**
 * The growth of the heap's floor in MiB per 1,000 tasks, by linear regression over the samples; NaN if all samples have
 * the same number of tasks.
 */
export function growth(samples: readonly Rest[]): number {
  const line = linearRegression(samples.map(({ ended, floorMib }) => [ended, floorMib]));
  return 1_000 * line.m;
}
