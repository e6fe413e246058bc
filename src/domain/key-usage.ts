import type { KeyLimits } from "./key-limits.ts";

/** Usage by the tasks that a key created. `storedBytes` includes ended tasks until they are deleted. */
export interface KeyUsage {
  readonly liveTasks: number;
  readonly storedBytes: number;
}

export type UsageLimit = keyof KeyUsage;

/** The first limit that a key would exceed with `more`, or null. Only limits that `more` adds to are checked. */
export function exceededUsage(
  usage: KeyUsage,
  more: KeyUsage,
  limits: KeyLimits,
): UsageLimit | null {
  const exceeds = (name: UsageLimit): boolean =>
    more[name] > 0 && usage[name] + more[name] > limits[name];
  if (exceeds("liveTasks")) return "liveTasks";
  return exceeds("storedBytes") ? "storedBytes" : null;
}

export function addUsage(one: KeyUsage, other: KeyUsage): KeyUsage {
  return {
    liveTasks: one.liveTasks + other.liveTasks,
    storedBytes: one.storedBytes + other.storedBytes,
  };
}
