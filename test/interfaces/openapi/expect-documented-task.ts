import type { ApiOperations } from "../../../src/interfaces/openapi/api-operation.ts";
import { eventOperations } from "../../../src/interfaces/openapi/operations/events.ts";
import { taskOperations } from "../../../src/interfaces/openapi/operations/tasks.ts";
import { webhookOperations } from "../../../src/interfaces/openapi/operations/webhooks.ts";
import { workerOperations } from "../../../src/interfaces/openapi/operations/workers.ts";
import { expectedBy } from "./expect-documented.ts";

/** What the document says of tasks, of work on them, of events and of webhooks. */
export const DOCUMENTED: ApiOperations = {
  ...taskOperations,
  ...workerOperations,
  ...eventOperations,
  ...webhookOperations,
};

export const expectDocumented = expectedBy(DOCUMENTED);
