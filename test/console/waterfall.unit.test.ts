import { describe, expect, it } from "vitest";
import {
  breaksIn,
  layoutWaterfall,
  type Bar,
} from "../../console/src/tasks/detail/waterfall-layout.ts";
import { buildSpans, type Span } from "../../console/src/tasks/detail/waterfall.ts";
import type { TaskEvent } from "../../console/src/tasks/detail/task-log.ts";
import { Rng } from "../support/rng.ts";
import { EVENT_DATA, eventOf, randomLog } from "./task-log.support.ts";

const SEEDS = Array.from({ length: 300 }, (_, seed) => seed);
const TOLERANCE = 1e-9;

interface Case {
  readonly log: readonly TaskEvent[];
  readonly spans: readonly Span[];
}

function caseOf(seed: number): Case {
  const rng = new Rng(seed);
  const log = randomLog(rng, rng.between(1, 40));
  const now = Date.parse(log.at(-1)?.at ?? "") + rng.pick([0, 10, 100_000]);
  return { log, spans: buildSpans(log, now) };
}

function allSpans(spans: readonly Span[]): readonly Span[] {
  return spans.flatMap((span) => [span, ...allSpans(span.children)]);
}

function barOf(bars: readonly Bar[], span: Span): Bar {
  const bar = bars.find((one) => one.span === span);
  if (bar === undefined) throw new Error("The span has no bar");
  return bar;
}

describe("the waterfall of a random log", () => {
  it("keeps every span within the bounds of its parent", () => {
    for (const seed of SEEDS) {
      for (const parent of allSpans(caseOf(seed).spans)) {
        for (const child of parent.children) {
          expect(child.startMs, `seed ${seed}`).toBeGreaterThanOrEqual(parent.startMs);
          expect(child.endMs, `seed ${seed}`).toBeLessThanOrEqual(parent.endMs);
          expect(child.endMs, `seed ${seed}`).toBeGreaterThanOrEqual(child.startMs);
        }
      }
    }
  });

  it("keeps every bar within the bounds of its parent's bar", () => {
    for (const seed of SEEDS) {
      const { bars } = layoutWaterfall(caseOf(seed).spans);
      for (const parent of bars) {
        for (const span of parent.span.children) {
          const child = barOf(bars, span);
          expect(child.x, `seed ${seed}`).toBeGreaterThanOrEqual(parent.x - TOLERANCE);
          expect(child.x + child.width).toBeLessThanOrEqual(parent.x + parent.width + TOLERANCE);
        }
      }
    }
  });

  it("has a constant total width", () => {
    for (const seed of SEEDS) {
      const { spans } = caseOf(seed);
      const { bars } = layoutWaterfall(spans);
      const lasts = (spans.at(-1)?.endMs ?? 0) > (spans[0]?.startMs ?? 0);
      const end = Math.max(...bars.map(({ x, width }) => x + width));
      if (lasts) expect(end, `seed ${seed}`).toBeCloseTo(1, 9);
      expect(Math.min(...bars.map(({ x }) => x)), `seed ${seed}`).toBe(0);
    }
  });

  it("places a later time never before an earlier one", () => {
    for (const seed of SEEDS) {
      const { bars } = layoutWaterfall(caseOf(seed).spans);
      const edges = bars
        .flatMap(({ span, x, width }) => [
          { atMs: span.startMs, x },
          { atMs: span.endMs, x: x + width },
        ])
        .toSorted((one, other) => one.atMs - other.atMs);
      const steps = edges.slice(1).map(({ x }, index) => x - (edges[index]?.x ?? 0));
      expect(Math.min(...steps), `seed ${seed}`).toBeGreaterThanOrEqual(-TOLERANCE);
    }
  });

  it("lists collapsed waits in the order of time, of equal width and at most 40 % unless nothing else took time", () => {
    for (const seed of SEEDS) {
      const { spans } = caseOf(seed);
      const { gaps } = layoutWaterfall(spans);
      const total = gaps.reduce((sum, { width }) => sum + width, 0);
      const gapMs = gaps.reduce((sum, { span }) => sum + span.endMs - span.startMs, 0);
      const totalMs = (spans.at(-1)?.endMs ?? 0) - (spans[0]?.startMs ?? 0);
      if (gapMs < totalMs) expect(total, `seed ${seed}`).toBeLessThanOrEqual(0.4 + TOLERANCE);
      for (const [index, { span, x, width }] of gaps.entries()) {
        expect(span.kind).toBe("wait");
        expect(width).toBeCloseTo(gaps[0]?.width ?? 0, 9);
        const next = gaps[index + 1];
        if (next) expect(next.x, `seed ${seed}`).toBeGreaterThanOrEqual(x + width - TOLERANCE);
      }
    }
  });

  it("a bar is broken once for each collapsed wait within it, and nowhere else", () => {
    for (const seed of SEEDS) {
      const { bars, gaps } = layoutWaterfall(caseOf(seed).spans);
      for (const bar of bars) {
        const { startMs, endMs } = bar.span;
        const within = gaps.filter(
          ({ span }) => span.startMs >= startMs && span.endMs <= endMs && endMs > startMs,
        );
        const breaks = breaksIn(bar, gaps);
        expect(breaks, `seed ${seed}`).toHaveLength(within.length);
        for (const at of breaks) {
          expect(at, `seed ${seed}`).toBeGreaterThanOrEqual(bar.x - TOLERANCE);
          expect(at, `seed ${seed}`).toBeLessThanOrEqual(bar.x + bar.width + TOLERANCE);
        }
      }
    }
  });

  it("contains no tool call twice", () => {
    for (const seed of SEEDS) {
      const calls = allSpans(caseOf(seed).spans).filter(({ kind }) => kind === "call");
      const places = calls.map(({ seq, callIndex }) => `${seq}/${callIndex}`);
      expect(new Set(places).size, `seed ${seed}`).toBe(places.length);
    }
  });
});

it("a task that waited two hours for an answer has one collapsed wait for a person", () => {
  const at = (time: string) => `2026-11-27T${time}.000Z`;
  const log = [
    eventOf("created", EVENT_DATA.created, { seq: 1, at: at("10:00:00") }),
    eventOf("started", EVENT_DATA.started, { seq: 2, at: at("10:00:00") }),
    eventOf("progressed", EVENT_DATA.progressed, { seq: 3, at: at("10:00:05") }),
    eventOf("blocked", EVENT_DATA.blocked, { seq: 4, at: at("10:00:06") }),
    eventOf("responded", EVENT_DATA.responded, { seq: 5, at: at("12:00:06") }),
    eventOf("resumed", EVENT_DATA.resumed, { seq: 6, at: at("12:00:06") }),
    eventOf("completed", EVENT_DATA.completed, { seq: 7, at: at("12:00:10") }),
  ];
  const spans = buildSpans(log, Date.parse(at("13:00:00")));
  expect(spans[0]?.children.map(({ kind, label }) => `${kind}: ${label}`)).toEqual([
    "step: analysing",
    "step: analysing",
    "wait: Waiting for a person",
    "step: analysing",
  ]);
  const { gaps } = layoutWaterfall(spans);
  expect(gaps.map(({ span }) => [span.waitsFor, span.endMs - span.startMs])).toEqual([
    ["person", 7_200_000],
  ]);
});

it("the time between a failed attempt and its retry is collapsed", () => {
  const log = [
    eventOf("created", EVENT_DATA.created, { seq: 1, at: "2026-11-27T10:00:00.000Z" }),
    eventOf("started", EVENT_DATA.started, { seq: 2, at: "2026-11-27T10:00:00.000Z" }),
    eventOf("failed", EVENT_DATA.failed, { seq: 3, at: "2026-11-27T10:00:05.000Z" }),
    eventOf("retried", EVENT_DATA.retried, { seq: 4, at: "2026-11-28T10:00:05.000Z" }),
    eventOf("started", EVENT_DATA.started, { seq: 5, at: "2026-11-28T10:00:05.000Z" }),
    eventOf("completed", EVENT_DATA.completed, { seq: 6, at: "2026-11-28T10:00:09.000Z" }),
  ];
  const spans = buildSpans(log, Date.parse("2026-11-29T10:00:00.000Z"));
  expect(spans.map(({ label, isFailed, seq }) => [label, isFailed, seq])).toEqual([
    ["Attempt 1", true, 3],
    ["Attempt 2", false, 6],
  ]);
  expect(layoutWaterfall(spans).gaps.map(({ span }) => span.waitsFor)).toEqual(["retry"]);
});

it("an agent without a queue continues to work as soon as its question is answered", () => {
  const terms = { executor: "builtin", maxConcurrentTasks: null, requireReview: false } as const;
  const at = (second: number) => `2026-11-27T10:00:0${second}.000Z`;
  const log = [
    eventOf("created", EVENT_DATA.created, { seq: 1, at: at(0) }),
    eventOf("assigned", { ...EVENT_DATA.assigned, terms }, { seq: 2, at: at(0) }),
    eventOf("started", EVENT_DATA.started, { seq: 3, at: at(0) }),
    eventOf("blocked", EVENT_DATA.blocked, { seq: 4, at: at(1) }),
    eventOf("responded", EVENT_DATA.responded, { seq: 5, at: at(2) }),
    eventOf("progressed", EVENT_DATA.progressed, { seq: 6, at: at(3) }),
    eventOf("completed", EVENT_DATA.completed, { seq: 7, at: at(4) }),
  ];
  const [attempt] = buildSpans(log, Date.parse(at(9)));
  expect(attempt?.children.map(({ label }) => label)).toEqual([
    "Work",
    "Waiting for a person",
    "analysing",
    "analysing",
  ]);
});

it.each([
  ["worker", "Waiting for a worker"],
  ["model", "Waiting for a slot"],
] as const)("the wait in the queue of a %s agent is labelled %j", (executor, label) => {
  const terms = { executor, maxConcurrentTasks: 1, requireReview: false };
  const log = [
    eventOf("created", EVENT_DATA.created, { seq: 1, at: "2026-11-27T10:00:00.000Z" }),
    eventOf("assigned", { ...EVENT_DATA.assigned, terms }, { seq: 2 }),
    eventOf("started", EVENT_DATA.started, { seq: 3, at: "2026-11-27T10:00:05.000Z" }),
  ];
  const [attempt] = buildSpans(log, Date.parse("2026-11-27T10:00:06.000Z"));
  expect(attempt?.children[0]?.label).toBe(label);
});
