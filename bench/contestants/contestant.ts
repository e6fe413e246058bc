import { fork, type ChildProcess } from "node:child_process";
import { join } from "node:path";
import { ended } from "./ended.ts";
import { answerIn } from "./reply.ts";

/** A request of the load generator. */
export interface Ask {
  readonly method: "GET" | "POST";
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** How one service is asked for the work that all contestants do. */
export interface Dialect {
  /** Creates a task whose first step is due at once, or as far ahead as the service was started with. */
  readonly create: () => Ask;
  readonly idIn: (created: string) => string;
  readonly read: (id: string) => Ask;
  readonly isCompleted: (answer: string) => boolean;
}

/** A contestant in a process of its own: whatever runs below it is its cost. */
export interface Running {
  readonly name: string;
  readonly origin: string;
  readonly pid: number;
  /** Gives an order beside serving, as contestants name theirs; gives its answer, and throws when it failed there. */
  readonly send: (order: object) => Promise<unknown>;
  readonly stop: () => Promise<void>;
}

/** As `BENCH_PAUSE_MS`: a first step that is later than any benchmark ends. */
export const NEVER_MS = 12 * 60 * 60 * 1_000;
const START_MAX_MS = 120_000;

/** Starts `bench/contestants/<file>.ts`, whose first message is its origin. */
export async function start(
  name: string,
  file: string,
  settings: Readonly<Record<string, string>> = {},
): Promise<Running> {
  const child = fork(join(import.meta.dirname, `${file}.ts`), {
    env: { ...process.env, ...settings },
    // Node strips the types of a module that counts; how it does that may change, it says.
    execArgv: ["--disable-warning=ExperimentalWarning"],
    // What wrangler says of itself, and BullMQ of its version, is of no use here.
    stdio: ["ignore", "ignore", "inherit", "ipc"],
  });
  try {
    const origin = String(await wordFrom(child, START_MAX_MS));
    return {
      name,
      origin,
      pid: child.pid ?? 0,
      async send(order) {
        child.send(order);
        return wordFrom(child, START_MAX_MS);
      },
      stop: () => leave(child),
    };
  } catch (fault) {
    await leave(child);
    throw new Error(`${name} did not start`, { cause: fault });
  }
}

async function wordFrom(child: ChildProcess, withinMs: number): Promise<unknown> {
  const reply = Promise.withResolvers<unknown>();
  const receive = (message: unknown): void => reply.resolve(message);
  const end = (): void => reply.reject(new Error("The process has ended"));
  const timer = setTimeout(() => reply.reject(new Error("It says nothing")), withinMs);
  child.once("message", receive).once("exit", end);
  try {
    return answerIn(await reply.promise);
  } finally {
    clearTimeout(timer);
    child.off("message", receive).off("exit", end);
  }
}

/** It ends by itself when nobody is left to give it orders. */
function leave(child: ChildProcess): Promise<void> {
  return ended(child, () => {
    if (child.connected) child.disconnect();
  });
}
