import type { Json } from "../../../../domain/json.ts";
import type { Problem } from "../../../../domain/problem.ts";
import { CONTENT } from "./formats.ts";

// Indentation, repeated keys and aliases can make a small text large; this much is still answered.
const CHARACTERS_MAX = 8_000_000;
const INDENT_CHARACTERS = 2;

/** The Problem with data whose text would be too large, or null. Never looks further than that. */
export function sizeProblem(value: Json): Problem | null {
  let characters = 0;
  const open: { value: Json; depth: number }[] = [{ value, depth: 0 }];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    characters += INDENT_CHARACTERS * (next.depth + 1);
    if (typeof next.value === "string") characters += next.value.length;
    if (characters > CHARACTERS_MAX) {
      const message = `must not grow beyond ${CHARACTERS_MAX} characters when it is written out`;
      return { path: CONTENT, message };
    }
    if (typeof next.value !== "object" || next.value === null) continue;
    for (const [key, child] of Object.entries(next.value)) {
      if (!Array.isArray(next.value)) characters += key.length;
      open.push({ value: child, depth: next.depth + 1 });
    }
  }
  return null;
}
