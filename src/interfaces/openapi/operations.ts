import type { ApiOperations } from "./api-operation.ts";
import { agentOperations } from "./operations/agents.ts";
import { credentialOperations } from "./operations/credentials.ts";
import { protocolOperations, serviceOperations } from "./operations/protocols.ts";
import { eventOperations } from "./operations/events.ts";
import { keyOperations } from "./operations/keys.ts";
import { webhookOperations } from "./operations/webhooks.ts";
import { workerOperations } from "./operations/workers.ts";
import { toolAccessOperations } from "./operations/tool-access.ts";
import { toolImportOperations } from "./operations/tool-import.ts";
import { toolInvocationOperations } from "./operations/tool-invocation.ts";
import { toolManagementOperations } from "./operations/tool-management.ts";
import { taskOperations } from "./operations/tasks.ts";

export const API_OPERATIONS: ApiOperations = {
  ...taskOperations,
  ...workerOperations,
  ...eventOperations,
  ...webhookOperations,
  ...toolManagementOperations,
  ...toolImportOperations,
  ...toolInvocationOperations,
  ...toolAccessOperations,
  ...credentialOperations,
  ...agentOperations,
  ...keyOperations,
  ...protocolOperations,
  ...serviceOperations,
};
