import autocannon from "autocannon";
import type { RequestSpec } from "./contestants/contestant.ts";
import { processorMs } from "./processor.ts";

/** What was measured for one contestant in one round. */
export interface Sample {
  readonly requests: number;
  readonly seconds: number;
  readonly latenciesMs: readonly number[];
  /** The CPU time of the contestant's processes, in milliseconds. */
  readonly processorMs: number;
}

export interface Load {
  readonly origin: string;
  readonly pid: number;
  readonly connections: number;
  readonly amount: number;
  readonly ask: () => RequestSpec;
  readonly status: number;
  /** Called with the body of each response that has the expected status. */
  readonly onBody?: (body: string) => void;
}

/** Sends `amount` requests over `connections` connections. An unexpected status ends the benchmark. */
export async function load(given: Load): Promise<Sample> {
  const { origin, pid, connections, amount, ask, status, onBody } = given;
  const latenciesMs: number[] = [];
  const wrong: string[] = [];
  const before = processorMs(pid);
  const startedAt = performance.now();
  let endedAt = startedAt;
  const done = Promise.withResolvers<void>();
  const counted = Promise.withResolvers<void>();
  const run = autocannon(
    {
      url: origin,
      connections,
      amount,
      sampleInt: 10,
      timeout: 30,
      requests: [
        {
          setupRequest(request) {
            const { headers, ...others } = ask();
            // Copy the headers, because autocannon adds a Content-Length to them.
            return { ...request, ...others, headers: { ...headers } };
          },
          onResponse(code, body) {
            if (code === status) onBody?.(body);
            else wrong.push(`${code}: ${body}`);
          },
        },
      ],
    },
    (error: unknown) => (error === null ? done.resolve() : done.reject(error)),
  );
  // autocannon does not end with the last response, but at the next tick of its own clock.
  run.on("response", (_client, _code, _bytes, tookMs) => {
    latenciesMs.push(tookMs);
    endedAt = performance.now();
    if (latenciesMs.length === amount) counted.resolve();
  });
  run.on("reqError", counted.reject);
  await Promise.all([counted.promise, done.promise]);
  const usedMs = processorMs(pid) - before;
  if (wrong.length > 0)
    throw new Error(`${wrong.length} unexpected responses, the first: ${wrong[0]}`);
  return {
    requests: amount,
    seconds: (endedAt - startedAt) / 1_000,
    latenciesMs,
    processorMs: usedMs,
  };
}
