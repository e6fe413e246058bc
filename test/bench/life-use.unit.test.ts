import { expect, it } from "vitest";
import { lifeUseOf } from "../../bench/life-use.ts";
import { LIFE } from "./sample-results.ts";

const { processorMs, ...COUNTED } = LIFE;

it("a task's usage consists of the known counts and the processor time", () => {
  expect(lifeUseOf({ ...COUNTED, rowsWritten: 3 }, processorMs)).toEqual(LIFE);
});

it.each(Object.keys(COUNTED))("a missing count of %s is an error that names it", (name) => {
  const counts = Object.fromEntries(Object.entries(COUNTED).filter(([key]) => key !== name));
  expect(() => lifeUseOf(counts, processorMs)).toThrow(`"${name}"`);
});

it("usage per task cannot be computed without counts or processor time", () => {
  expect(() => lifeUseOf(undefined, processorMs)).toThrow("was not counted");
  expect(() => lifeUseOf(COUNTED, undefined)).toThrow('"processorMs"');
});
