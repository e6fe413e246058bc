import { expect } from "vitest";
import type { Answer } from "../../support/client.ts";

/**
 * Asserts that a request succeeded. The test client checks every response against the OpenAPI
 * document.
 */
export function expectSuccess(answer: Answer): void {
  expect([200, 201, 202], answer.text).toContain(answer.status);
}
