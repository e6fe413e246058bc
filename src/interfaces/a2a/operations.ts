import * as z from "zod";
import type { Scope } from "../../keys/model/key.ts";
import { preview, fail, ok, type Result } from "../../kernel/result.ts";
import { jsonObject, validateSchema } from "../../http/validation.ts";
import { buildExtendedAgentCard } from "./agent-card.ts";
import type { A2aCallContext } from "./call-context.ts";
import { toRequestFailure, createInvalidParams, type A2aRequestFailure } from "./failures.ts";
import { listA2aTasks } from "./list-tasks.ts";
import {
  createPushConfig,
  deletePushConfig,
  getPushConfig,
  listPushConfigs,
} from "./push-configs.ts";
import { cancelA2aTask, getA2aTask } from "./tasks.ts";
import { handleSendMessage, handleSendStreamingMessage } from "./send-message.ts";
import { subscribeToTask } from "./task-stream.ts";
import {
  pushConfigParams,
  createPushConfigParams,
  historyLength,
  idField,
  listTasksParams,
  optionalField,
  sendMessageParams,
} from "./schemas.ts";

/** One method of A2A 1.0: checks the key's scopes and the parameters; the value is a message or a stream. */
type A2aOperation = (
  call: A2aCallContext,
  params: unknown,
) => Promise<Result<unknown, A2aRequestFailure>>;

function defineOperation<Schema extends z.ZodType>(
  scopes: readonly Scope[],
  schema: Schema,
  run: (
    call: A2aCallContext,
    params: z.output<Schema>,
  ) => Promise<Result<unknown, A2aRequestFailure>>,
): A2aOperation {
  return async (call, params) => {
    const lacking = scopes.filter((scope) => !call.key.scopes.includes(scope));
    if (lacking.length > 0) {
      return fail(toRequestFailure({ kind: "insufficient_scope", scopes: lacking }));
    }
    const parsed = validateSchema(schema, params);
    return parsed.ok ? run(call, parsed.value) : fail(createInvalidParams(parsed.failure));
  };
}

const READ: readonly Scope[] = ["tasks:read"];
const WRITE: readonly Scope[] = ["tasks:write"];
/** Responses and notifications with a task show as much as reading it. */
const READ_WRITE: readonly Scope[] = [...READ, ...WRITE];
const taskParams = z.object({ id: idField });
const cancelTaskParams = taskParams.extend({ metadata: optionalField(jsonObject) });
const pushConfigsParams = z.object({ taskId: idField });

/** The operations by their JSON-RPC method; REST maps its paths to these. */
const OPERATIONS: ReadonlyMap<string, A2aOperation> = new Map(
  Object.entries({
    SendMessage: defineOperation(READ_WRITE, sendMessageParams, handleSendMessage),
    SendStreamingMessage: defineOperation(
      READ_WRITE,
      sendMessageParams,
      handleSendStreamingMessage,
    ),
    GetTask: defineOperation(READ, taskParams.extend({ historyLength }), getA2aTask),
    ListTasks: defineOperation(READ, listTasksParams, listA2aTasks),
    CancelTask: defineOperation(READ_WRITE, cancelTaskParams, cancelA2aTask),
    SubscribeToTask: defineOperation(READ, taskParams, subscribeToTask),
    CreateTaskPushNotificationConfig: defineOperation(
      READ_WRITE,
      createPushConfigParams,
      createPushConfig,
    ),
    GetTaskPushNotificationConfig: defineOperation(READ, pushConfigParams, getPushConfig),
    ListTaskPushNotificationConfigs: defineOperation(READ, pushConfigsParams, listPushConfigs),
    DeleteTaskPushNotificationConfig: defineOperation(WRITE, pushConfigParams, deletePushConfig),
    GetExtendedAgentCard: defineOperation(WRITE, z.object({}), async (call) =>
      ok(await buildExtendedAgentCard(call)),
    ),
  }),
);

export async function runA2aOperation(
  call: A2aCallContext,
  method: string,
  params: unknown,
): Promise<Result<unknown, A2aRequestFailure>> {
  const chosen = OPERATIONS.get(method);
  if (chosen !== undefined) return chosen(call, params);
  const message = `There is no method ${preview(method)}; A2A 1.0 has ${[...OPERATIONS.keys()].join(", ")}.`;
  return fail({ name: "method_not_found", message });
}
