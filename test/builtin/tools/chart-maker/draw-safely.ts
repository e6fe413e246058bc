import { XMLValidator } from "fast-xml-parser";
import { expect } from "vitest";
import type { JsonObject } from "../../../../src/kernel/json.ts";
import { chartMakerHandlers } from "../../../../src/builtin/tools/chart-maker/handlers.ts";
import { capabilityRunner } from "../run-capability.ts";

export interface Drawn {
  readonly svg: string;
  readonly width: number;
  readonly height: number;
  readonly points: number;
  readonly notes: readonly string[];
  readonly bins: readonly { from: number; to: number; count: number }[];
  readonly rule: string;
}

const { run, problems } = capabilityRunner(chartMakerHandlers);
export { run, problems };

/** Returns the drawing. Fails the test if there is none. */
export async function draw(capability: string, parameters: JsonObject): Promise<Drawn> {
  const outcome = await run(capability, parameters);
  if (!outcome.ok) throw new Error(JSON.stringify(outcome.failure));
  return safe(outcome.value);
}

/** The drawing, after checking that its SVG is safe. */
export function safe(value: JsonObject): Drawn {
  const drawn: Drawn = Object(value);
  expectSafe(drawn.svg);
  return drawn;
}

const TAGS = new Set(["svg", "title", "rect", "path", "text", "g", "defs", "clipPath", "polyline"]);
const UNSAFE = /\son\w+=|NaN|Infinity|undefined|javascript:|(?:href|src)=/;
const NOT_XML = /[[\p{Cc}--[\t\n\r]]\ufffe\uffff]/v;

/**
 * Checks that the SVG is well-formed and self-contained, has no scripts or handlers, and has only numeric
 * coordinates.
 */
function expectSafe(svg: string) {
  expect(XMLValidator.validate(svg)).toBe(true);
  expect(svg).not.toMatch(NOT_XML);
  const tags = svg.match(/<[^>]*>/g) ?? [];
  const drawing = tags.filter((tag) => !tag.startsWith("<svg "));
  for (const tag of drawing) {
    expect(TAGS).toContain(/^<\/?(\w*)/.exec(tag)?.[1]);
    expect(tag).not.toMatch(UNSAFE);
  }
  for (const url of drawing.join("").match(/url\([^)]*/g) ?? [])
    expect(url).toMatch(/^url\(#chart-/);
}
