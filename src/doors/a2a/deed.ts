import { fail, ok, type Result } from "../../domain/result.ts";
import type { ClientCommand, TaskPort } from "../../tasks/port.ts";
import type { Door } from "./door.ts";
import { faultOf, faultOfFailure, invalidParams, type Fault } from "./faults.ts";
import type { Address } from "./ids.ts";
import { problemOfParts } from "./said.ts";

/** What a message asks of a task that is there, found to make sense but not done yet. */
export interface Deed {
  readonly port: TaskPort;
  readonly command: ClientCommand;
  /** That of the task as it was judged: it must be the same when the command comes. */
  readonly seq: number;
  /** Where the deed leads to. */
  readonly address: Address;
}

/** Does it, unless the task has changed since it was judged. */
export async function carried(
  { key }: Door,
  { port, command, seq, address }: Deed,
): Promise<Result<Address, Fault>> {
  const done = await port.command(key, command, [String(seq)]);
  if (done.ok) return ok(address);
  if (done.failure.kind === "validation") {
    // Whatever a task judges of these came in the parts; the settings were judged before.
    return fail(invalidParams(done.failure.problems.map(problemOfParts)));
  }
  if (done.failure.kind !== "precondition_failed") return fail(faultOfFailure(done.failure));
  const message =
    "The task has changed while the message came in: look at it with GetTask, and send the message again if it still fits.";
  return fail(faultOf("aborted", message));
}
