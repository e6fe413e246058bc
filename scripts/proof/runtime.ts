import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync, readlinkSync } from "node:fs";
import { join } from "node:path";
import { countBy } from "./counts.ts";

const PAGE_BYTES = 4_096;

/** The ids of the runtime processes that are children of this process. */
function runtimePids(): number[] {
  const found = spawnSync("pgrep", ["-P", String(process.pid), "workerd"], { encoding: "utf8" });
  return found.stdout.trim().split("\n").filter(Boolean).map(Number);
}

export function signalRuntime(signal: NodeJS.Signals): void {
  for (const pid of livingPids()) process.kill(pid, signal);
}

/** Kills the runtime if there is one, frozen or not. */
export function killRuntime(): void {
  for (const pid of runtimePids()) process.kill(pid, "SIGKILL");
}

/** The runtime's resident memory, in bytes. */
export function residentBytes(): number {
  return livingPids().reduce((sum, pid) => sum + residentBytesOf(pid), 0);
}

/** The number of Durable Objects in memory, by class. Each keeps its database open. */
export function openObjects(): Map<string, number> {
  return countBy(livingPids().flatMap(openObjectsOf), (name) => name);
}

function livingPids(): number[] {
  const pids = runtimePids();
  if (pids.length === 0) throw new Error("The runtime is not running");
  return pids;
}

function residentBytesOf(pid: number): number {
  const [, pages = "0"] = readFileSync(`/proc/${pid}/statm`, "utf8").split(" ");
  return Number(pages) * PAGE_BYTES;
}

function openObjectsOf(pid: number): string[] {
  const folder = `/proc/${pid}/fd`;
  return readdirSync(folder).flatMap((fd) => {
    const [, name] = /(\w+)\/[0-9a-f]+\.sqlite$/.exec(linkAt(join(folder, fd))) ?? [];
    return name === undefined ? [] : [name];
  });
}

/** The target of a link; empty if the link no longer exists. */
function linkAt(path: string): string {
  try {
    return readlinkSync(path);
  } catch {
    return "";
  }
}
