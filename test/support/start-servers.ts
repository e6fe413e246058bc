import { spawn, type ChildProcess } from "node:child_process";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import type { TestProject } from "vitest/node";

const SERVERS = "test/support/servers";
const READY_WITHIN_MS = 30_000;

declare module "vitest" {
  interface ProvidedContext {
    /** The origin of each server in test/support/servers, by file name. */
    outside: Record<string, string>;
  }
}

interface Running {
  readonly name: string;
  readonly child: ChildProcess;
}

/** Starts each server in test/support/servers as a process. The returned function stops them. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const servers = readdirSync(SERVERS)
    .filter((file) => file.endsWith(".ts"))
    .map((file) => start(file.slice(0, -".ts".length)));
  const stopAll = async (): Promise<void> => {
    await Promise.all(servers.map(stop));
  };
  try {
    const origins = await Promise.all(servers.map(async (one) => [one.name, await ready(one)]));
    project.provide("outside", Object.fromEntries(origins));
  } catch (error) {
    await stopAll();
    throw error;
  }
  return stopAll;
}

function start(name: string): Running {
  const child = spawn(process.execPath, [join(SERVERS, `${name}.ts`)], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  return { name, child };
}

/** Returns the origin that a server prints as `ready <origin>` once it is listening. */
async function ready({ name, child }: Running): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  const timer = setTimeout(() => {
    reject(new Error(`The server ${name} was not ready within ${READY_WITHIN_MS} ms`));
  }, READY_WITHIN_MS);
  child.once("exit", (code) => reject(new Error(`The server ${name} exited with code ${code}`)));
  let printed = "";
  child.stdout?.on("data", (chunk: Buffer) => {
    printed += chunk.toString();
    const origin = /^ready (\S+)$/m.exec(printed)?.[1];
    if (origin !== undefined) resolve(origin);
  });
  try {
    return await promise;
  } finally {
    clearTimeout(timer);
  }
}

async function stop({ child }: Running): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const gone = new Promise((resolve) => child.once("exit", resolve));
  child.kill("SIGTERM");
  await gone;
}
