import type { Operations } from "./operation.ts";
import { agentOperations } from "./operations/agents.ts";
import { credentialOperations } from "./operations/credentials.ts";
import { doorOperations } from "./operations/doors.ts";
import { eventOperations } from "./operations/events.ts";
import { keyOperations } from "./operations/keys.ts";
import { serviceOperations } from "./operations/reference.ts";
import { tasksOperations } from "./operations/tasks.ts";
import { toolOperations } from "./operations/tools.ts";
import { webhookOperations } from "./operations/webhooks.ts";
import { workOperations } from "./operations/work.ts";

/** What the document says of every route, slice by slice. */
export const OPERATIONS: Operations = {
  ...tasksOperations,
  ...workOperations,
  ...eventOperations,
  ...webhookOperations,
  ...toolOperations,
  ...credentialOperations,
  ...agentOperations,
  ...keyOperations,
  ...doorOperations,
  ...serviceOperations,
};
