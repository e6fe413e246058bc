import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  developmentKey,
  ensureSecrets,
  freePort,
  prepareDatabase,
  startService,
} from "../../../scripts/local.ts";

const POLL_MS = 100;

/** A Bosun of its own on this machine, as `npm run dev` starts it, with nothing in it but the seed. */
export interface Bosun {
  readonly origin: string;
  stop(): Promise<void>;
}

export async function startBosun(): Promise<Bosun> {
  const stateDir = mkdtempSync(join(tmpdir(), "bosun-test-"));
  ensureSecrets();
  prepareDatabase(stateDir);
  const service = await startService({ port: await freePort(), stateDir, quiet: true });
  return {
    origin: service.origin,
    async stop() {
      await service.stop();
      rmSync(stateDir, { recursive: true, force: true });
    },
  };
}

/** Calls the API with the root key and gives its data; what is not a success throws. */
export async function call(
  { origin }: Bosun,
  method: string,
  path: string,
  body?: object,
  // oxlint-disable-next-line typescript/no-explicit-any -- a test asserts the shape it reads
): Promise<any> {
  const response = await fetch(`${origin}${path}`, {
    method,
    headers: { Authorization: `Bearer ${developmentKey()}`, "Content-Type": "application/json" },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  // oxlint-disable-next-line typescript/no-explicit-any -- likewise
  const answer: any = await response.json();
  if (answer.success !== true) throw new Error(`${method} ${path}: ${answer.error.message}`);
  return answer.data;
}

/** Registers an agent that works by workers, and issues a key that is bound to it. */
export async function hire(bosun: Bosun, agentId: string): Promise<{ key: string }> {
  await call(bosun, "POST", "/agents", { id: agentId, executor: { type: "worker" } });
  return call(bosun, "POST", "/agents/keys", { name: agentId, agentId, scopes: ["tasks:work"] });
}

/** A process of examples/worker.ts. */
export interface WorkerProcess {
  readonly name: string;
  readonly child: ChildProcess;
  /** What it has complained of. */
  complaints(): string;
}

export function startWorker(
  { origin }: Bosun,
  { key, name, ...settings }: { key: string; name: string } & Readonly<Record<string, string>>,
): WorkerProcess {
  const child = spawn(process.execPath, ["examples/worker.ts"], {
    env: { ...process.env, BOSUN_URL: origin, BOSUN_KEY: key, WORKER_NAME: name, ...settings },
    stdio: ["ignore", "ignore", "pipe"],
  });
  let said = "";
  child.stderr.on("data", (chunk: Buffer) => {
    said += chunk.toString();
  });
  return { name, child, complaints: () => said };
}

export async function end({ child }: WorkerProcess, signal: NodeJS.Signals): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const gone = once(child, "exit");
  child.kill(signal);
  await gone;
}

/** Does a thing for each item, so many at once; the answers come in the items' order. */
export async function forAll<Item, Value>(
  items: readonly Item[],
  atOnce: number,
  act: (item: Item, place: number) => Promise<Value>,
): Promise<Value[]> {
  const answers: Value[] = [];
  const rest = items.entries();
  const hand = async (): Promise<void> => {
    for (const [place, item] of rest) answers[place] = await act(item, place);
  };
  await Promise.all(Array.from({ length: atOnce }, hand));
  return answers;
}

/** Looks again and again until what is seen is as wished; gives up loudly. */
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
      throw new Error(`Not so after ${patienceMs} ms: ${JSON.stringify(seen)?.slice(0, 500)}`);
    }
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
}
