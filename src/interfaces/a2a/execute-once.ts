import type { Message } from "@a2a-js/sdk";
import type { JsonObject } from "../../kernel/json.ts";
import type { Result } from "../../kernel/result.ts";
import { sha256Hex } from "../../platform/crypto/hash.ts";
import { IdempotencyLock } from "../../platform/idempotency/idempotency-lock.ts";
import type { A2aCallContext } from "./call-context.ts";
import { type RequestError, ServiceError } from "./errors.ts";
import { type A2aTaskRef, formatA2aTaskId, parseA2aTaskId } from "./task-run.ts";

/** Executes a message that was checked. Returns expected errors, because an exception means that the effect is unknown. */
export type MessageExecution = () => Promise<Result<A2aTaskRef, RequestError>>;

/** Executes a message once; repeats return its task. `plan` changes nothing: if it fails, the message can be resent. */
export async function executeMessageOnce(
  call: A2aCallContext,
  message: Message,
  bosun: JsonObject,
  plan: () => Promise<MessageExecution>,
): Promise<A2aTaskRef> {
  const { env, key } = call;
  const lock = new IdempotencyLock(env.ONCE, key.id, `a2a:${message.messageId}`, call.waitUntil);
  // As the client sent it, because stored fingerprints of earlier releases are of this form.
  const content =
    call.params !== undefined && "message" in call.params ? call.params.message : null;
  const fingerprint = await sha256Hex(JSON.stringify([key.id, content, bosun]));
  const lockState = await lock.acquire(fingerprint);
  switch (lockState.kind) {
    case "free": {
      const done = await lock.run({
        prepare: plan,
        // An exception here would mean that the effect is unknown.
        execute: async (execute) => execute(),
        serialize: (result) => (result.ok ? async () => formatA2aTaskId(result.value) : null),
      });
      if (done.ok) return done.value;
      throw done.failure;
    }
    case "answered": {
      const ref = parseA2aTaskId(lockState.answer);
      if (ref === null)
        throw new Error("The stored response to a message must be the id of a task");
      return ref;
    }
    case "reused":
      throw messageIdReused();
    case "in_progress": {
      const text = "This message is already being processed. Retry in a second.";
      throw new ServiceError("ABORTED", text, { headers: { "Retry-After": "1" } });
    }
    case "lost":
      throw new ServiceError("ABORTED", ORIGINAL_LOST);
  }
}

/** The error for a `messageId` that was used for another message. */
export function messageIdReused(): ServiceError {
  const message =
    "message.messageId was already used for a different message. Use a new messageId.";
  return new ServiceError("INVALID_PARAMS", message);
}

const ORIGINAL_LOST =
  "The original response was lost. The message may or may not have been applied: check the task, then send the message with a new messageId if needed.";
