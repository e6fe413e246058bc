import { readdirSync, readFileSync } from "node:fs";

/** The length of the kernel's clock tick, which is 10 ms on Linux (`getconf CLK_TCK` is 100). */
const TICK_MS = 10;

interface Stat {
  readonly parent: number;
  readonly ms: number;
}

/** The user and system CPU time that a process and its descendants have used, in milliseconds. */
export function processorMs(pid: number): number {
  const stats = new Map<number, Stat>();
  for (const name of readdirSync("/proc")) {
    const stat = /^\d+$/.test(name) ? statOf(Number(name)) : null;
    if (stat !== null) stats.set(Number(name), stat);
  }
  const family = new Set([pid]);
  let size = 0;
  while (size < family.size) {
    size = family.size;
    for (const [one, { parent }] of stats) if (family.has(parent)) family.add(one);
  }
  return [...family].reduce((sum, one) => sum + (stats.get(one)?.ms ?? 0), 0);
}

/**
 * Reads `/proc/<pid>/stat`; see proc(5). After the name in parentheses, the first two fields are the state and the
 * parent, and fields 12 to 15 are the times, including those of children that have exited.
 */
function statOf(pid: number): Stat | null {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, "utf8");
    const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
    const ticks = fields.slice(11, 15).reduce((sum, field) => sum + Number(field), 0);
    return { parent: Number(fields[1]), ms: ticks * TICK_MS };
  } catch {
    return null;
  }
}
