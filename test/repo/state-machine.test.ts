import { expect, it } from "vitest";
import { findOutdated } from "../../scripts/state-machine.ts";

it("the page and the diagram of the README show the current transition table", () => {
  expect(findOutdated()).toEqual([]);
});
