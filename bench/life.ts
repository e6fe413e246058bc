import { setTimeout as pause } from "node:timers/promises";
import { Pool } from "undici";
import type { RequestSpec, Dialect } from "./contestants/contestant.ts";
import type { Sample } from "./load.ts";
import { processorMs } from "./processor.ts";

/** The number of concurrent clients. Each polls one task until it has completed, and then creates the next. */
const CLIENTS = 32;
/** A task that takes longer than this is considered stuck. */
const LIFE_MAX_MS = 60_000;
const LOOK_MIN_MS = 10;
/**
 * The wait before the first poll, as a fraction of the usual duration. It is below 1, so that faster lifecycles are
 * noticed.
 */
const FIRST_LOOK_SHARE = 0.7;
/** The wait between later polls, as a fraction of the usual duration. */
const LOOK_SHARE = 0.15;

export interface Lives {
  readonly origin: string;
  readonly pid: number;
  readonly amount: number;
  readonly dialect: Dialect;
  /** The usual duration of a lifecycle. If it is unknown, the first tasks are polled every ten milliseconds. */
  readonly usualMs?: number;
}

/**
 * Creates tasks and polls each until it has completed. A client first polls shortly before the expected end of
 * a task, so that the number of polls is small and similar for all contestants.
 */
export async function lives({
  origin,
  pid,
  amount,
  dialect,
  usualMs: known = 0,
}: Lives): Promise<Sample> {
  const pool = new Pool(origin, { connections: CLIENTS });
  const latenciesMs: number[] = [];
  let usualMs = known;
  let begun = 0;
  const ask = async (
    { method, path, headers, body }: RequestSpec,
    status: number,
  ): Promise<string> => {
    const answer = await pool.request({
      method,
      path,
      headers: { ...headers },
      body: body ?? null,
    });
    const text = await answer.body.text();
    if (answer.statusCode !== status) throw new Error(`${answer.statusCode}: ${text}`);
    return text;
  };
  const live = async (): Promise<void> => {
    const startedAt = performance.now();
    const id = dialect.idIn(await ask(dialect.create(), 201));
    let waitMs = usualMs * FIRST_LOOK_SHARE - (performance.now() - startedAt);
    for (;;) {
      await pause(Math.max(LOOK_MIN_MS, waitMs));
      if (dialect.isCompleted(await ask(dialect.read(id), 200))) break;
      if (performance.now() - startedAt > LIFE_MAX_MS)
        throw new Error(`Task ${id} did not complete in time`);
      waitMs = usualMs * LOOK_SHARE;
    }
    const tookMs = performance.now() - startedAt;
    usualMs = usualMs === 0 ? tookMs : usualMs * 0.9 + tookMs * 0.1;
    latenciesMs.push(tookMs);
  };
  const client = async (): Promise<void> => {
    while (begun < amount) {
      begun += 1;
      await live();
    }
  };
  const before = processorMs(pid);
  const startedAt = performance.now();
  await Promise.all(Array.from({ length: CLIENTS }, client));
  const seconds = (performance.now() - startedAt) / 1_000;
  const used = processorMs(pid) - before;
  await pool.close();
  return { requests: amount, seconds, latenciesMs, processorMs: used };
}
