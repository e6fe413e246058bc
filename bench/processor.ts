import { readdirSync, readFileSync } from "node:fs";

/** The kernel counts in ticks of 10 ms (`getconf CLK_TCK`) on every Linux. */
const TICK_MS = 10;

interface Stat {
  readonly parent: number;
  readonly ms: number;
}

/** User and system processor time of a process and its descendants so far, in milliseconds. */
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

/** See proc(5): after the name in parentheses come the state, the parent and, from the 12th field, the times, including those of ended children. */
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
