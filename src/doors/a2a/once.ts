import { sha256 } from "../../bytes/sha256.ts";
import type { JsonObject } from "../../domain/json.ts";
import { fail, ok, type Result } from "../../domain/result.ts";
import { Hold } from "../../once/hold.ts";
import { carried, type Deed } from "./deed.ts";
import type { Door } from "./door.ts";
import { faultOf, faultOfFailure, type Fault } from "./faults.ts";
import { addressOf, idOf, type Address } from "./ids.ts";
import type { WireMessage } from "./wire.ts";

/**
 * Carries out what a message and its settings ask for once: who sends them again is led to the same task.
 * `judge` changes nothing; where it is refused or breaks off, the same message may come again.
 */
export async function once(
  door: Door,
  message: WireMessage,
  bosun: JsonObject,
  judge: () => Promise<Result<Deed, Fault>>,
): Promise<Result<Address, Fault>> {
  const { env, key } = door;
  const hold = new Hold(env.ONCE, key.id, `a2a:${message.messageId}`);
  const fingerprint = await sha256(JSON.stringify([key.id, message, bosun]));
  const verdict = await hold.begin(fingerprint, door.waitUntil);
  switch (verdict.kind) {
    case "free": {
      const work = tried(door, hold, judge);
      // A client that hangs up must not leave its message taken, and without an answer.
      door.waitUntil(work.catch(() => null));
      return work;
    }
    case "answered": {
      const address = addressOf(verdict.answer);
      if (address === null) throw new Error("What was kept of a message must be the id of a task");
      return ok(address);
    }
    case "reused":
      return fail(reused());
    case "at_work": {
      const words = "This message is being dealt with already; wait a second.";
      return fail({ ...faultOf("aborted", words), headers: { "Retry-After": "1" } });
    }
    case "lost":
      return fail(faultOf("aborted", LOST));
  }
}

/** Of a `messageId` that came before with something else. */
export function reused(): Fault {
  const message = "message.messageId came before with another message; give each its own.";
  return { ...faultOfFailure({ kind: "idempotency_key_reused" }), message };
}

const LOST =
  "What became of this message when it first came is not known: look at the task, and where nothing did, send it with a new messageId.";

async function tried(
  door: Door,
  hold: Hold,
  judge: () => Promise<Result<Deed, Fault>>,
): Promise<Result<Address, Fault>> {
  const deed = await judge().catch(async (error: unknown) => {
    await hold.release();
    throw error;
  });
  if (!deed.ok) {
    await hold.release();
    return deed;
  }
  // A command that breaks off may have been carried out.
  const done = await carried(door, deed.value).catch(async (error: unknown) => {
    await hold.lose();
    throw error;
  });
  await (done.ok ? hold.keep(async () => idOf(done.value)) : hold.release());
  return done;
}
