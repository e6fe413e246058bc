import type { ApiOperations } from "./api-operation.ts";
import { agentOperations } from "./operations/agents.ts";
import { credentialOperations } from "./operations/credentials.ts";
import { protocolOperations, serviceOperations } from "./operations/protocols.ts";
import { eventOperations } from "./operations/events.ts";
import { keyOperations } from "./operations/keys.ts";
import { webhookOperations } from "./operations/webhooks.ts";
import { workerOperations } from "./operations/workers.ts";
import { toolAccessOperations } from "./operations/tool-access.ts";
import { toolCatalogueOperations } from "./operations/tool-catalogue.ts";
import { toolImportOperations } from "./operations/tool-import.ts";
import { toolInvocationOperations } from "./operations/tool-invocation.ts";
import { toolManagementOperations } from "./operations/tool-management.ts";
import { taskCollectionOperations, taskOperations } from "./operations/tasks.ts";
import { taskDeliverableOperations } from "./operations/task-deliverables.ts";
import { taskInteractionOperations } from "./operations/task-interactions.ts";

/** The tasks of the specification, with answers, reviews, feedback and files. */
export const allTaskOperations: ApiOperations = {
  ...taskCollectionOperations,
  ...taskOperations,
  ...taskInteractionOperations,
  ...taskDeliverableOperations,
};

/** Tools, from the catalogue to their use. */
export const allToolOperations: ApiOperations = {
  ...toolCatalogueOperations,
  ...toolManagementOperations,
  ...toolImportOperations,
  ...toolInvocationOperations,
  ...toolAccessOperations,
};

/** What the document says of every route, slice by slice. */
export const API_OPERATIONS: ApiOperations = {
  ...allTaskOperations,
  ...workerOperations,
  ...eventOperations,
  ...webhookOperations,
  ...allToolOperations,
  ...credentialOperations,
  ...agentOperations,
  ...keyOperations,
  ...protocolOperations,
  ...serviceOperations,
};
