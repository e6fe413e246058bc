import { expect, it } from "vitest";
import { findOutdated } from "../../scripts/state-machine.ts";

it("both generated diagrams and the tables show the current transition table", () => {
  expect(findOutdated()).toEqual([]);
});
