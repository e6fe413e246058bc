import { expect, it } from "vitest";
import { lifeUseOf } from "../../bench/life-use.ts";
import { LIFE } from "./sample-results.ts";

const { processorMs, ...COUNTED } = LIFE;

it("a life's use is what was counted, with the processor's time", () => {
  expect(lifeUseOf({ ...COUNTED, rowsWritten: 3 }, processorMs)).toEqual(LIFE);
});

it.each(Object.keys(COUNTED))("there is no use without a count of %s", (name) => {
  const counts = Object.fromEntries(Object.entries(COUNTED).filter(([key]) => key !== name));
  expect(() => lifeUseOf(counts, processorMs)).toThrow(`"${name}"`);
});

it("without counts or processor time there is no usage per task", () => {
  expect(() => lifeUseOf(undefined, processorMs)).toThrow("Nobody has counted");
  expect(() => lifeUseOf(COUNTED, undefined)).toThrow('"processorMs"');
});
