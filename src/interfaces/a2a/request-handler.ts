import { AgentCard } from "@a2a-js/sdk";
import type { A2ARequestHandler } from "@a2a-js/sdk/server";
import { buildAgentCard, buildExtendedAgentCard } from "./agent-card.ts";
import type { A2aCallContext } from "./call-context.ts";
import { listA2aTasks } from "./list-tasks.ts";
import {
  createPushConfig,
  deletePushConfig,
  getPushConfig,
  listPushConfigs,
} from "./push-notifications.ts";
import { sendMessage, streamMessage } from "./send-message.ts";
import { subscribeToTask } from "./task-stream.ts";
import { cancelA2aTask, getA2aTask } from "./tasks.ts";

/**
 * A request handler that the SDK calls for one request. `onError` receives the original errors, which the SDK's
 * transports replace.
 */
export function createRequestHandler(
  call: A2aCallContext,
  onError: (error: unknown) => void,
): A2ARequestHandler {
  const observed = async <Value>(work: Promise<Value>): Promise<Value> => {
    try {
      return await work;
    } catch (error) {
      onError(error);
      throw error;
    }
  };
  return {
    getAgentCard: async () => AgentCard.fromJSON(buildAgentCard(call.origin)),
    getAuthenticatedExtendedAgentCard: () => observed(buildExtendedAgentCard(call)),
    sendMessage: (params) => observed(sendMessage(call, params)),
    sendMessageStream: (params) => streamMessage(call, params),
    getTask: (params) => observed(getA2aTask(call, params)),
    listTasks: (params) => observed(listA2aTasks(call, params)),
    cancelTask: (params) => observed(cancelA2aTask(call, params)),
    resubscribe: (params) => subscribeToTask(call, params),
    createTaskPushNotificationConfig: (params) => observed(createPushConfig(call, params)),
    getTaskPushNotificationConfig: (params) => observed(getPushConfig(call, params)),
    listTaskPushNotificationConfigs: (params) => observed(listPushConfigs(call, params)),
    deleteTaskPushNotificationConfig: (params) => observed(deletePushConfig(call, params)),
  };
}
