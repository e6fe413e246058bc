import type { Operations } from "../../src/doors/openapi/operation.ts";
import { eventOperations } from "../../src/doors/openapi/operations/events.ts";
import { tasksOperations } from "../../src/doors/openapi/operations/tasks.ts";
import { webhookOperations } from "../../src/doors/openapi/operations/webhooks.ts";
import { workOperations } from "../../src/doors/openapi/operations/work.ts";
import { expectedBy } from "./expected.ts";

/** What the document says of tasks, of work on them, of events and of webhooks. */
export const DOCUMENTED: Operations = {
  ...tasksOperations,
  ...workOperations,
  ...eventOperations,
  ...webhookOperations,
};

export const expectDocumented = expectedBy(DOCUMENTED);
