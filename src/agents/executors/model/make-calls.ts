import type { ReadCall } from "./asked.ts";
import { deliver } from "./deliver.ts";
import type { Functions } from "./functions.ts";
import { CALLS_AT_ONCE_MAX } from "./limits.ts";
import { bad, told, type Bench, type Made } from "./made.ts";
import { findCapabilities, useFound } from "./search-tools.ts";
import { useCapability } from "./use-tool.ts";

export interface MadeCalls {
  readonly made: readonly Made[];
  /** What the budget asks of people before further calls can be made. */
  readonly question: string | null;
}

/**
 * Makes the calls of one turn, except `ask` and `finish`, which end it. Tools are called a few at once,
 * files written in order; a call that stands there twice is made once. Budget or time can end it early.
 */
export async function makeCalls(calls: readonly ReadCall[], bench: Bench): Promise<MadeCalls> {
  const made = new Map<string, Made>();
  const waiting = [...new Map(calls.map((call) => [call.digest, call])).values()];
  const names = new Set(bench.fileNames);
  let question: string | null = null;

  async function make(call: ReadCall): Promise<void> {
    // A file costs nothing.
    const isFree = call.name === "deliver_file";
    if (question !== null && !isFree) return void made.set(call.digest, told(NOT_PAID));
    if (bench.signal.aborted) return void made.set(call.digest, told(NO_TIME));
    const outcome = await makeOne(call, bench, names);
    if (typeof outcome !== "string") return void made.set(call.digest, outcome);
    question = outcome;
    made.set(call.digest, told(NOT_PAID));
  }

  const own = waiting.filter(({ name }) => name === "deliver_file");
  const others = waiting.filter(({ name }) => name !== "deliver_file").values();
  await Promise.all(
    Array.from({ length: CALLS_AT_ONCE_MAX }, async () => {
      for (const call of others) await make(call);
    }),
  );
  for (const call of own) await make(call);

  const seen = new Set<string>();
  const inOrder = calls.map(({ digest }) => {
    const one = made.get(digest) ?? told(NO_TIME);
    if (!seen.has(digest)) {
      seen.add(digest);
      return one;
    }
    return { ...one, result: TWICE, isForeign: false, file: null, used: null };
  });
  return { made: inOrder, question };
}

const NOT_PAID = "Not made: the task's budget allowed no further call. People have been asked.";
const NO_TIME = "Not made: the turn's time was over. Make it again if it is still needed.";
const TWICE = "The same call stands in this turn before; it was made once.";

/** One call, or the question of a budget that does not allow it. */
async function makeOne(call: ReadCall, bench: Bench, names: Set<string>): Promise<Made | string> {
  if (call.problem !== null) return bad(call.problem);
  const { functions } = bench;
  if (call.name === "deliver_file") return deliver(call.input, bench, names);
  if (functions.areSearched && call.name === "find_capabilities")
    return findCapabilities(call.input, bench);
  if (functions.areSearched && call.name === "use_capability") return useFound(call.input, bench);
  const capability = functions.byName.get(call.name);
  if (capability === undefined) return bad(notGranted(call.name, functions));
  return useCapability(capability.toolId, capability.id, call.input, bench);
}

function notGranted(name: string, functions: Functions): string {
  const known = functions.shown.map((one) => one.name);
  return `The function ${JSON.stringify(name.slice(0, NAME_TOLD_MAX))} is not granted to you, or does not exist. You have: ${known.join(", ")}.`;
}

const NAME_TOLD_MAX = 80;
