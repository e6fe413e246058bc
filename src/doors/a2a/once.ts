import { sha256 } from "../../bytes/sha256.ts";
import { fail, ok, type Result } from "../../domain/result.ts";
import { onceOf } from "../../once/port.ts";
import type { Door } from "./door.ts";
import { faultOfFailure, type Fault } from "./faults.ts";
import { addressOf, idOf, type Address } from "./ids.ts";
import type { WireMessage } from "./wire.ts";

/** Carries out what a message asks for once: who sends it again is led to the same task. */
export async function once(
  { env, key }: Door,
  message: WireMessage,
  work: () => Promise<Result<Address, Fault>>,
): Promise<Result<Address, Fault>> {
  const port = onceOf(env.ONCE, key.id, `a2a:${message.messageId}`);
  const ticket = crypto.randomUUID();
  const verdict = await port.begin(await sha256(JSON.stringify([key.id, message])), ticket);
  switch (verdict.kind) {
    case "free": {
      const done = await work();
      // What was refused may be sent again once what stood in its way is gone.
      await (done.ok ? port.keep(ticket, idOf(done.value)) : port.release(ticket));
      return done;
    }
    case "answered": {
      const address = addressOf(verdict.answer);
      if (address === null) throw new Error("What was kept of a message must be the id of a task");
      return ok(address);
    }
    case "reused":
      return fail(faultOfFailure({ kind: "idempotency_key_reused" }));
    case "at_work":
    case "lost": {
      const isLost = verdict.kind === "lost";
      return fail(faultOfFailure({ kind: "idempotency_key_in_use", isLost }));
    }
  }
}
