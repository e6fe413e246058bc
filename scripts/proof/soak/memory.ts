import { setTimeout as pause } from "node:timers/promises";
import { linearRegression } from "simple-statistics";
import type { Bosun } from "../bosun.ts";
import { rest } from "../pace.ts";
import { heapBytes } from "./heap.ts";

const SAMPLE_MS = 1_000;
/** The runtime lets go of an object that nobody has asked for ten seconds. */
const REST_MS = 12_000;
const MIB = 2 ** 20;
/** Objects of which there is one a task or a key; workers and the follower keep the others awake. */
const PER_TASK = ["TaskObject", "OnceObject"];

/** What the runtime's process held when so many tasks had ended. */
export interface Sample {
  readonly at: number;
  readonly ended: number;
  readonly mib: number;
  /** Of it the JavaScript heap of the Worker itself, with what could be collected by now. */
  readonly heapMib: number;
}

/** A sample while nobody asks for anything. */
export interface Rest extends Sample {
  readonly open: number;
  /** The least heap since the rest before: what was left behind a collection. */
  readonly floorMib: number;
}

/** Samples the memory of the runtime's process until told to leave. */
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

/** What it holds once it has let go of what nobody uses. */
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

/** By how much the heap's floor grows with each 1,000 tasks, in MiB: the line of least squares through the samples; NaN where all ended as much. */
export function growth(samples: readonly Rest[]): number {
  const line = linearRegression(samples.map(({ ended, floorMib }) => [ended, floorMib]));
  return 1_000 * line.m;
}
