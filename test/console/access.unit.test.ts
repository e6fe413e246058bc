import { describe, expect, it } from "vitest";
import { accessLevelOf } from "../../console/src/access/access-level.ts";
import { readAccessState } from "../../console/src/access/filters.ts";
import { grantBody, grantDraftOf } from "../../console/src/access/grant-draft.ts";
import { limitConcurrency } from "../../console/src/api/limit-concurrency.ts";
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

  it("a grant keeps its capabilities, listed or all, when only the proficiency changes", () => {
    const stored = {
      agentId: "a",
      agentName: "A",
      toolId: "t",
      toolName: "T",
      proficiency: "beginner",
      grantedAt: "2026-11-27T15:53:27.468Z",
    } as const;
    const listed = { ...stored, allCapabilities: false, capabilities: ["read", "write"] };
    expect(grantBody({ ...grantDraftOf(listed), proficiency: "expert" })).toEqual({
      proficiency: "expert",
      capabilities: ["read", "write"],
    });
    const all = { ...stored, allCapabilities: true };
    expect(grantBody({ ...grantDraftOf(all), proficiency: "expert" })).toEqual({
      proficiency: "expert",
    });
    expect(grantBody(grantDraftOf(null))).toEqual({ proficiency: "intermediate" });
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

describe("limitConcurrency", () => {
  it("runs every job, and never more than the limit at the same time", async () => {
    for (let seed = 0; seed < 50; seed += 1) {
      const rng = new Rng(seed);
      const most = rng.between(1, 4);
      const run = limitConcurrency(most);
      let running = 0;
      let peak = 0;
      const jobs = Array.from({ length: rng.between(1, 20) }, (_, index) => {
        const steps = rng.between(1, 4);
        const isFailing = rng.oneIn(5);
        return run(async () => {
          running += 1;
          peak = Math.max(peak, running);
          for (let step = 0; step < steps; step += 1) await Promise.resolve();
          running -= 1;
          if (isFailing) throw new Error("failed");
          return index;
        });
      });
      const results = await Promise.allSettled(jobs);
      results.forEach((result, index) => {
        if (result.status === "fulfilled") expect(result.value).toBe(index);
      });
      expect(running).toBe(0);
      expect(peak).toBe(Math.min(most, jobs.length));
    }
  });
});
