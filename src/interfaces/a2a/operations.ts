import * as z from "zod";
import type { Scope } from "../../keys/model/key.ts";
import { preview } from "../../kernel/problem.ts";
import { fail, ok, type Result } from "../../kernel/result.ts";
import { jsonObject } from "../../http/schemas.ts";
import { validateSchema } from "../../http/validation.ts";
import { buildExtendedAgentCard } from "./agent-card.ts";
import type { A2aCallContext } from "./call-context.ts";
import {
  createRequestFailure,
  toRequestFailure,
  createInvalidParams,
  type A2aRequestFailure,
} from "./failures.ts";
import { listA2aTasks } from "./list-tasks.ts";
import {
  createPushConfig,
  deletePushConfig,
  getPushConfig,
  listPushConfigs,
} from "./push-configs.ts";
import { cancelA2aTask, getA2aTask } from "./tasks.ts";
import { handleSendMessage, handleSendStreamingMessage } from "./send-message.ts";
import { subscribeToTask, type A2aStreamFrames } from "./task-stream.ts";
import {
  pushConfigParams,
  createPushConfigParams,
  historyLength,
  idField,
  listTasksParams,
  optionalField,
  sendMessageParams,
} from "./schemas.ts";

/** What an operation comes to: a message of the protocol, or a stream of them. */
export type A2aOperationResult =
  | { readonly kind: "value"; readonly value: unknown }
  | { readonly kind: "stream"; readonly frames: A2aStreamFrames };

/** One method of A2A 1.0: judges the key's scopes and the parameters, then does its work. */
type A2aOperation = (
  call: A2aCallContext,
  params: unknown,
) => Promise<Result<A2aOperationResult, A2aRequestFailure>>;

function defineOperation<Schema extends z.ZodType>(
  scopes: readonly Scope[],
  schema: Schema,
  run: (
    call: A2aCallContext,
    params: z.output<Schema>,
  ) => Promise<Result<A2aOperationResult, A2aRequestFailure>>,
): A2aOperation {
  return async (call, params) => {
    const lacking = scopes.filter((scope) => !call.key.scopes.includes(scope));
    if (lacking.length > 0) {
      return fail(toRequestFailure({ kind: "insufficient_scope", scopes: lacking }));
    }
    const read = validateSchema(schema, params);
    return read.ok ? run(call, read.value) : fail(createInvalidParams(read.failure));
  };
}

function returnsValue<Params>(
  run: (call: A2aCallContext, params: Params) => Promise<Result<unknown, A2aRequestFailure>>,
) {
  return async (
    call: A2aCallContext,
    params: Params,
  ): Promise<Result<A2aOperationResult, A2aRequestFailure>> => {
    const result = await run(call, params);
    return result.ok ? ok({ kind: "value", value: result.value }) : result;
  };
}

function returnsStream<Params>(
  run: (
    call: A2aCallContext,
    params: Params,
  ) => Promise<Result<A2aStreamFrames, A2aRequestFailure>>,
) {
  return async (
    call: A2aCallContext,
    params: Params,
  ): Promise<Result<A2aOperationResult, A2aRequestFailure>> => {
    const result = await run(call, params);
    return result.ok ? ok({ kind: "stream", frames: result.value }) : result;
  };
}

const READ_SCOPES: readonly Scope[] = ["tasks:read"];
const WRITE_SCOPES: readonly Scope[] = ["tasks:write"];
/** What answers with a task, or has one told of, shows as much of it as reading does. */
const READ_WRITE_SCOPES: readonly Scope[] = [...READ_SCOPES, ...WRITE_SCOPES];
const taskParams = z.object({ id: idField });

/** The methods by the names that JSON-RPC has for them; REST maps its paths to these. */
const OPERATIONS: ReadonlyMap<string, A2aOperation> = new Map([
  [
    "SendMessage",
    defineOperation(READ_WRITE_SCOPES, sendMessageParams, returnsValue(handleSendMessage)),
  ],
  [
    "SendStreamingMessage",
    defineOperation(
      READ_WRITE_SCOPES,
      sendMessageParams,
      returnsStream(handleSendStreamingMessage),
    ),
  ],
  [
    "GetTask",
    defineOperation(READ_SCOPES, taskParams.extend({ historyLength }), returnsValue(getA2aTask)),
  ],
  ["ListTasks", defineOperation(READ_SCOPES, listTasksParams, returnsValue(listA2aTasks))],
  [
    "CancelTask",
    defineOperation(
      READ_WRITE_SCOPES,
      taskParams.extend({ metadata: optionalField(jsonObject) }),
      returnsValue(cancelA2aTask),
    ),
  ],
  ["SubscribeToTask", defineOperation(READ_SCOPES, taskParams, returnsStream(subscribeToTask))],
  [
    "CreateTaskPushNotificationConfig",
    defineOperation(READ_WRITE_SCOPES, createPushConfigParams, returnsValue(createPushConfig)),
  ],
  [
    "GetTaskPushNotificationConfig",
    defineOperation(READ_SCOPES, pushConfigParams, returnsValue(getPushConfig)),
  ],
  [
    "ListTaskPushNotificationConfigs",
    defineOperation(READ_SCOPES, z.object({ taskId: idField }), returnsValue(listPushConfigs)),
  ],
  [
    "DeleteTaskPushNotificationConfig",
    defineOperation(WRITE_SCOPES, pushConfigParams, returnsValue(deletePushConfig)),
  ],
  [
    "GetExtendedAgentCard",
    defineOperation(WRITE_SCOPES, z.object({}), returnsValue(getExtendedCard)),
  ],
]);

export async function runA2aOperation(
  call: A2aCallContext,
  method: string,
  params: unknown,
): Promise<Result<A2aOperationResult, A2aRequestFailure>> {
  const chosen = OPERATIONS.get(method);
  if (chosen !== undefined) return chosen(call, params);
  const message = `There is no method ${preview(method)}; A2A 1.0 has ${[...OPERATIONS.keys()].join(", ")}.`;
  return fail(createRequestFailure("method_not_found", message));
}

async function getExtendedCard(call: A2aCallContext): Promise<Result<object, A2aRequestFailure>> {
  return ok(await buildExtendedAgentCard(call));
}
