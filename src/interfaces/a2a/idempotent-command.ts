import { sha256Hex } from "../../platform/crypto/sha256.ts";
import type { JsonObject } from "../../kernel/json.ts";
import { fail, ok, type Result } from "../../kernel/result.ts";
import { IdempotencyLock } from "../../platform/idempotency/idempotency-lock.ts";
import type { A2aCallContext } from "./call-context.ts";
import {
  type A2aRequestFailure,
  createInvalidParams,
  createRequestFailure,
  toRequestFailure,
} from "./failures.ts";
import { type A2aTaskRef, formatA2aTaskId, parseA2aTaskId } from "./task-run.ts";
import type { A2aMessage } from "./schemas.ts";
import type { ClientCommand, TaskRpc } from "../../tasks/task.rpc.ts";
import { toPartsProblem } from "./parse-message.ts";

/** The command of a message to an existing task, checked but not executed. */
export interface PlannedCommand {
  readonly stub: TaskRpc;
  readonly command: ClientCommand;
  /** The sequence number of the task that was checked; the command fails if it has changed. */
  readonly seq: number;
  /** The run after the command. */
  readonly ref: A2aTaskRef;
}

/** Executes the command unless the task has changed since it was checked. */
async function executePlannedCommand(
  { key }: A2aCallContext,
  { stub, command, seq, ref }: PlannedCommand,
): Promise<Result<A2aTaskRef, A2aRequestFailure>> {
  const done = await stub.command(key, command, [String(seq)]);
  if (done.ok) return ok(ref);
  if (done.failure.kind === "validation") {
    // The task checks only values from the parts; the settings have been checked.
    return fail(createInvalidParams(done.failure.problems.map(toPartsProblem)));
  }
  if (done.failure.kind !== "precondition_failed") return fail(toRequestFailure(done.failure));
  const message =
    "The task has changed while the message came in: look at it with GetTask, and send the message again if it still fits.";
  return fail(createRequestFailure("aborted", message));
}

/**
 * Executes a message once; a repeated message returns the same task. `plan` changes nothing: if it fails, the
 * message can be sent again.
 */
export async function executeMessageOnce(
  call: A2aCallContext,
  message: A2aMessage,
  bosun: JsonObject,
  plan: () => Promise<Result<PlannedCommand, A2aRequestFailure>>,
): Promise<Result<A2aTaskRef, A2aRequestFailure>> {
  const { env, key } = call;
  const lock = new IdempotencyLock(env.ONCE, key.id, `a2a:${message.messageId}`, call.waitUntil);
  const fingerprint = await sha256Hex(JSON.stringify([key.id, message, bosun]));
  const lockState = await lock.acquire(fingerprint);
  switch (lockState.kind) {
    case "free":
      return lock.run({
        prepare: plan,
        execute: async (planned) =>
          planned.ok ? executePlannedCommand(call, planned.value) : planned,
        serialize: (done) => (done.ok ? async () => formatA2aTaskId(done.value) : null),
      });
    case "answered": {
      const ref = parseA2aTaskId(lockState.answer);
      if (ref === null)
        throw new Error("The stored response to a message must be the id of a task");
      return ok(ref);
    }
    case "reused":
      return fail(createMessageIdReused());
    case "in_progress": {
      const text = "This message is being dealt with already; wait a second.";
      return fail({ ...createRequestFailure("aborted", text), headers: { "Retry-After": "1" } });
    }
    case "lost":
      return fail(createRequestFailure("aborted", ORIGINAL_LOST));
  }
}

/** The failure for a `messageId` that was used for another message. */
export function createMessageIdReused(): A2aRequestFailure {
  const message = "message.messageId came before with another message; give each its own.";
  return { ...toRequestFailure({ kind: "idempotency_key_reused" }), message };
}

const ORIGINAL_LOST =
  "What became of this message when it first came is not known: look at the task, and where nothing did, send it with a new messageId.";
