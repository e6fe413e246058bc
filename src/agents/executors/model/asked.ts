import { sha256 } from "../../../bytes/sha256.ts";
import { isJsonObject, type Json, type JsonObject } from "../../../domain/json.ts";
import { BODY_DEPTH_MAX } from "../../../domain/limits.ts";
import { shown } from "../../../domain/problem.ts";
import { isWithinDepth } from "../../../tools/connectors/depth.ts";
import type { AskedCall } from "./answer.ts";
import type { TurnRecord } from "./record.ts";
import { LOOP_TURNS } from "./limits.ts";

/** A call with its arguments read; `problem` says why they cannot be used. */
export interface ReadCall {
  readonly id: string;
  readonly name: string;
  readonly input: JsonObject;
  readonly problem: string | null;
  /** Equal for equal names and arguments, whatever the order of their properties. */
  readonly digest: string;
  readonly signature: string | null;
}

const CUT_OFF =
  "The answer reached its limit of tokens before the arguments were complete. Make the call again, with less in it.";

/** Reads a call's arguments; `isCutOff` when the answer ended at its limit of tokens. */
export async function readCall(call: AskedCall, isCutOff: boolean): Promise<ReadCall> {
  const { id, name, signature } = call;
  const read = inputOf(call.input, isCutOff);
  const same = read.problem === null ? canonical(read.input) : call.input;
  return { id, name, signature, ...read, digest: await digestOf(JSON.stringify([name, same])) };
}

function inputOf(text: string, isCutOff: boolean): Pick<ReadCall, "input" | "problem"> {
  // Many models leave out the arguments of a function that needs none.
  if (text.trim() === "") return { input: {}, problem: isCutOff ? CUT_OFF : null };
  let value: Json;
  try {
    value = JSON.parse(text);
  } catch {
    const problem = isCutOff
      ? CUT_OFF
      : `The arguments must be a JSON object, and are not JSON: ${shown(text)}. Make the call again.`;
    return { input: {}, problem };
  }
  if (!isJsonObject(value)) {
    return { input: {}, problem: `The arguments must be a JSON object, got ${shown(value)}.` };
  }
  if (!isWithinDepth(value, BODY_DEPTH_MAX)) {
    const problem = `The arguments are nested too deeply: at most ${BODY_DEPTH_MAX} levels.`;
    return { input: {}, problem };
  }
  return { input: value, problem: null };
}

/** The same value with all properties in the order of their names. */
function canonical(value: Json): Json {
  if (Array.isArray(value)) return value.map(canonical);
  if (!isJsonObject(value)) return value;
  const entries = Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(entries.map(([name, one]) => [name, canonical(one)]));
}

async function digestOf(text: string): Promise<string> {
  return (await sha256(text)).slice(0, 32);
}

/** The name of a function that is called in the same way for the third turn in a row; null when none is. */
export function loopIn(turns: readonly TurnRecord[], calls: readonly ReadCall[]): string | null {
  const before = turns.slice(-(LOOP_TURNS - 1));
  if (before.length < LOOP_TURNS - 1) return null;
  const looping = calls.find(({ digest }) =>
    before.every((turn) => turn.calls.some((call) => call.digest === digest)),
  );
  return looping?.name ?? null;
}

/** How many calls that no function could take were made last without one that could. */
export function badInARow(turns: readonly TurnRecord[]): number {
  const marks = turns.flatMap(({ calls, text }) =>
    // An answer without a word and a call is no better.
    calls.length === 0 && text === "" ? [true] : calls.map(({ isBad }) => isBad),
  );
  return marks.length - 1 - marks.lastIndexOf(false);
}
