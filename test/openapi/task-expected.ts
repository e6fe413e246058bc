import { expect } from "vitest";
import type { Operations } from "../../src/doors/openapi/operation.ts";
import { eventOperations } from "../../src/doors/openapi/operations/events.ts";
import { tasksOperations } from "../../src/doors/openapi/operations/tasks.ts";
import { webhookOperations } from "../../src/doors/openapi/operations/webhooks.ts";
import { workOperations } from "../../src/doors/openapi/operations/work.ts";
import type { Answer } from "../support/client.ts";

/** What the document says of tasks, of work on them, of events and of webhooks. */
export const DOCUMENTED: Operations = {
  ...tasksOperations,
  ...workOperations,
  ...eventOperations,
  ...webhookOperations,
};

/** Asserts that a good answer is one that the document promises: its status, headers and data. */
export function expectDocumented(name: string, answer: Answer): void {
  const documented = DOCUMENTED[name]?.answers.find(({ status }) => status === answer.status);
  expect(documented, `${name} with ${answer.status}: ${answer.text}`).toBeDefined();
  for (const header of Object.keys(documented?.headers ?? {})) {
    expect(answer.headers.get(header), `${name} without ${header}`).not.toBeNull();
  }
  const checked = documented?.data?.safeParse(answer.body.data);
  expect(checked?.error, `${name}: ${answer.text}`).toBeUndefined();
  expect(checked?.success, `${name} has no schema`).toBe(true);
}
