import { expect } from "vitest";
import type { Answer } from "../../support/client.ts";

/** Asserts that a request succeeded. That its response matches /openapi.json is checked for every response of the tests. */
export function expectSuccess(answer: Answer): void {
  expect([200, 201, 202], answer.text).toContain(answer.status);
}
