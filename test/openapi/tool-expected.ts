import { expect } from "vitest";
import { agentOperations } from "../../src/doors/openapi/operations/agents.ts";
import { credentialOperations } from "../../src/doors/openapi/operations/credentials.ts";
import { keyOperations } from "../../src/doors/openapi/operations/keys.ts";
import { toolOperations } from "../../src/doors/openapi/operations/tools.ts";
import type { Answer } from "../support/client.ts";

const OPERATIONS = {
  ...toolOperations,
  ...credentialOperations,
  ...agentOperations,
  ...keyOperations,
};

/** Asserts that a good answer is one that the document promises: its status, headers and data. */
export function expectDocumented(name: string, answer: Answer): void {
  const documented = OPERATIONS[name]?.answers.find(({ status }) => status === answer.status);
  expect(documented, `${name} with ${answer.status}: ${answer.text}`).toBeDefined();
  for (const header of Object.keys(documented?.headers ?? {})) {
    expect(answer.headers.get(header), `${name} without ${header}`).not.toBeNull();
  }
  const checked = documented?.data?.safeParse(answer.body.data);
  expect(checked?.error, `${name}: ${answer.text}`).toBeUndefined();
  expect(checked?.success, `${name} has no schema`).toBe(true);
}
