import { fork, type ChildProcess } from "node:child_process";
import { join } from "node:path";
import { endProcess } from "./ended.ts";
import { resultIn } from "./reply.ts";

/** A request that the load generator sends. */
export interface RequestSpec {
  readonly method: "GET" | "POST";
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** How a contestant's API expresses the operations that all contestants support. */
export interface Dialect {
  /**
   * The request that creates a task. The task's first step is due after the pause that the service was started with, if
   * any.
   */
  readonly create: () => RequestSpec;
  readonly idIn: (created: string) => string;
  readonly read: (id: string) => RequestSpec;
  readonly isCompleted: (answer: string) => boolean;
}

/** A contestant in its own process. Its child processes count towards its CPU time. */
export interface Running {
  readonly name: string;
  readonly origin: string;
  readonly pid: number;
  /** Sends a command over IPC and returns its result; throws if the command fails. */
  readonly send: (order: object) => Promise<unknown>;
  readonly stop: () => Promise<void>;
}

/** A value of `BENCH_PAUSE_MS` that delays the first step beyond the end of any benchmark. */
export const NEVER_MS = 12 * 60 * 60 * 1_000;
const START_MAX_MS = 120_000;

/** Starts `bench/contestants/<file>.ts` and waits for its first message, which contains its origin. */
export async function start(
  name: string,
  file: string,
  settings: Readonly<Record<string, string>> = {},
): Promise<Running> {
  const child = fork(join(import.meta.dirname, `${file}.ts`), {
    env: { ...process.env, ...settings },
    // Hides Node's warning that type stripping is experimental.
    execArgv: ["--disable-warning=ExperimentalWarning"],
    // Discards the output of wrangler and BullMQ.
    stdio: ["ignore", "ignore", "inherit", "ipc"],
  });
  try {
    const origin = String(await receiveReply(child, START_MAX_MS));
    return {
      name,
      origin,
      pid: child.pid ?? 0,
      async send(order) {
        child.send(order);
        return receiveReply(child, START_MAX_MS);
      },
      stop: () => stop(child),
    };
  } catch (error) {
    await stop(child);
    throw new Error(`${name} did not start`, { cause: error });
  }
}

async function receiveReply(child: ChildProcess, withinMs: number): Promise<unknown> {
  const reply = Promise.withResolvers<unknown>();
  const receive = (message: unknown): void => reply.resolve(message);
  const end = (): void => reply.reject(new Error("The process exited before it replied"));
  const timer = setTimeout(
    () => reply.reject(new Error(`No reply within ${withinMs} ms`)),
    withinMs,
  );
  child.once("message", receive).once("exit", end);
  try {
    return resultIn(await reply.promise);
  } finally {
    clearTimeout(timer);
    child.off("message", receive).off("exit", end);
  }
}

/** A contestant exits when it is disconnected. */
function stop(child: ChildProcess): Promise<void> {
  return endProcess(child, () => {
    if (child.connected) child.disconnect();
  });
}
