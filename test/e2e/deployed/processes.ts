import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { inject } from "vitest";
import { ROOT_KEY, startBosun, type Bosun } from "../../../scripts/proof/bosun.ts";
import { ask } from "./api-client.ts";

const POLL_MS = 100;

/** Starts a separate Bosun instance for a test file, using the shared bundle. */
export function startBundled(variables: Record<string, string> = {}): Promise<Bosun> {
  return startBosun({ variables, bundle: inject("bundle") });
}

/** Calls the API with the root key and returns the data. Throws if the request fails. */
export async function call(
  { origin }: Bosun,
  method: string,
  path: string,
  body?: object,
  // oxlint-disable-next-line typescript/no-explicit-any -- a test asserts the shape it reads
): Promise<any> {
  return ask({ origin, key: ROOT_KEY }, method, path, body);
}

/** Registers a worker agent and issues a key bound to it. */
export async function registerWorkerAgent(bosun: Bosun, agentId: string): Promise<{ key: string }> {
  await call(bosun, "POST", "/agents", { id: agentId, executor: { type: "worker" } });
  return call(bosun, "POST", "/agents/keys", { name: agentId, agentId, scopes: ["tasks:work"] });
}

/** A running example worker. */
export interface WorkerProcess {
  readonly name: string;
  readonly child: ChildProcess;
  /** Returns the standard output so far. */
  readonly output: () => string;
  /** Returns the error output so far. */
  readonly errorOutput: () => string;
}

export function startWorker(
  { origin }: Bosun,
  { key, name, ...settings }: { key: string; name: string } & Readonly<Record<string, string>>,
  [program, file]: readonly [string, string] = [process.execPath, "examples/worker.ts"],
): WorkerProcess {
  const child = spawn(program, [file], {
    env: { ...process.env, BOSUN_URL: origin, BOSUN_KEY: key, WORKER_NAME: name, ...settings },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const texts = { stdout: "", stderr: "" };
  for (const stream of ["stdout", "stderr"] as const) {
    child[stream].on("data", (chunk: Buffer) => {
      texts[stream] += chunk.toString();
    });
  }
  return { name, child, output: () => texts.stdout, errorOutput: () => texts.stderr };
}

export async function end({ child }: WorkerProcess, signal: NodeJS.Signals): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const gone = once(child, "exit");
  child.kill(signal);
  await gone;
}

/** Polls until a condition holds. Throws after a timeout. */
export async function until<Seen>(
  look: () => Promise<Seen>,
  isWished: (seen: Seen) => boolean,
  patienceMs: number,
): Promise<Seen> {
  const giveUpAt = Date.now() + patienceMs;
  for (;;) {
    const seen = await look();
    if (isWished(seen)) return seen;
    if (Date.now() > giveUpAt) {
      throw new Error(
        `The condition does not hold after ${patienceMs} ms: ${JSON.stringify(seen)?.slice(0, 500)}`,
      );
    }
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
}
