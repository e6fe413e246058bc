import { describe, expect, it } from "vitest";
import { accessLevelOf } from "../../console/src/access/access-level.ts";
import { readAccessState } from "../../console/src/access/filters.ts";
import { Rng } from "../support/rng.ts";

const CASES = 500;

describe("access", () => {
  it("is none without a grant, all with every capability, and some in between", () => {
    for (let seed = 0; seed < CASES; seed += 1) {
      const rng = new Rng(seed);
      const capabilities = Array.from({ length: rng.below(6) }, (_, index) => `c${index}`);
      const granted = [...capabilities.filter(() => rng.oneIn(2)), "removed"];
      const usable = granted.length - 1;
      expect(accessLevelOf(undefined, capabilities)).toEqual({ level: "none" });
      expect(accessLevelOf(null, capabilities)).toEqual({ level: "all" });
      expect(accessLevelOf(granted, capabilities)).toEqual(
        usable === capabilities.length
          ? { level: "all" }
          : { level: "some", granted: usable, total: capabilities.length },
      );
    }
  });

  it("ignores parameters of the URL that are unknown or invalid", () => {
    expect(readAccessState({ agents: " ", tools: 7, view: "other", agentId: ["a"], x: 1 })).toEqual(
      {
        tools: "7",
      },
    );
    const state = { agents: "a", tools: "t", agentId: "i", toolId: "j", view: "why" } as const;
    expect(readAccessState({ ...state })).toEqual(state);
  });
});
