import { expect } from "vitest";
import type { Answer } from "./client.ts";

/** Asserts that a response is an error with this status and code, in the service's error format. */
export function expectError(answer: Answer, status: number, code: string): void {
  expect([answer.status, answer.body?.error?.code], answer.text).toEqual([status, code]);
  expect(answer.body.success).toBe(false);
  expect(answer.body).not.toHaveProperty("data");
}

/**
 * Asserts a 400 with exactly these problems. Each path maps to the text or pattern that its message
 * must match.
 */
export function expectProblems(
  answer: Answer,
  problems: Readonly<Record<string, string | RegExp>>,
): void {
  expectError(answer, 400, "VALIDATION_ERROR");
  const { details } = answer.body.error;
  const given = details.map(({ path }: { path: string }) => path);
  expect(given.toSorted(), answer.text).toEqual(Object.keys(problems).toSorted());
  for (const { path, message } of details) expect(message).toMatch(problems[path] ?? "");
}
