import { expect } from "vitest";
import type { ApiOperations } from "../../../src/interfaces/openapi/api-operation.ts";
import type { Answer } from "../../support/client.ts";

/** Makes what asserts that a good answer is one that the document promises: its status, headers and data. */
export function expectedBy(operations: ApiOperations): (name: string, answer: Answer) => void {
  return (name, answer) => {
    const documented = operations[name]?.responses.find(({ status }) => status === answer.status);
    expect(documented, `${name} with ${answer.status}: ${answer.text}`).toBeDefined();
    for (const header of Object.keys(documented?.headers ?? {})) {
      expect(answer.headers.get(header), `${name} without ${header}`).not.toBeNull();
    }
    const checked = documented?.data?.safeParse(answer.body.data);
    expect(checked?.error, `${name}: ${answer.text}`).toBeUndefined();
    expect(checked?.success, `${name} has no schema`).toBe(true);
  };
}
