import { spawn } from "node:child_process";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import type { TestProject } from "vitest/node";

const SERVERS = "test/support/servers";
const READY_WITHIN_MS = 30_000;

declare module "vitest" {
  interface ProvidedContext {
    /** The origin of each server of test/support/servers, by the name of its file. */
    outside: Record<string, string>;
  }
}

/** Starts every server of test/support/servers as a process of its own, and stops them all. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const names = readdirSync(SERVERS)
    .filter((file) => file.endsWith(".ts"))
    .map((file) => file.slice(0, -".ts".length));
  const servers = await Promise.all(names.map(start));
  project.provide("outside", Object.fromEntries(servers.map(({ name, url }) => [name, url])));
  return async () => {
    await Promise.all(servers.map(({ stop }) => stop()));
  };
}

/** Runs one server script, which prints `ready <url>` once it listens on loopback, and ends on SIGTERM. */
async function start(
  name: string,
): Promise<{ name: string; url: string; stop: () => Promise<void> }> {
  const child = spawn(process.execPath, [join(SERVERS, `${name}.ts`)], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const gone = new Promise<void>((resolve) => child.once("exit", () => resolve()));
  const url = await new Promise<string>((resolve, reject) => {
    const timer = setTimeout(() => {
      child.kill();
      reject(new Error(`The server ${name} was not ready within ${READY_WITHIN_MS} ms`));
    }, READY_WITHIN_MS);
    child.once("exit", (code) => reject(new Error(`The server ${name} ended with ${code}`)));
    let printed = "";
    child.stdout.on("data", (chunk: Buffer) => {
      printed += chunk.toString();
      const ready = /^ready (\S+)$/m.exec(printed)?.[1];
      if (ready === undefined) return;
      clearTimeout(timer);
      resolve(ready);
    });
  });
  async function stop(): Promise<void> {
    child.kill("SIGTERM");
    await gone;
  }
  return { name, url, stop };
}
