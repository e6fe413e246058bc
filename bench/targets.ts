import { median } from "simple-statistics";
import { AGENTS, THIS, WORKFLOWS } from "./field.ts";
import { costOfLives, sumOf } from "./report/cost.ts";
import type { Figures, Results, Target, Work } from "./results.ts";
import { SIZES } from "./works/lists.ts";

const GZIP_BYTES_MAX = 3 * 1024 * 1024;
const KIB = 1024;
const START_UP_MS_MAX = 100;
const DOLLARS_MAX = 19.5;
const FLAT_MAX = 1.3;
const [FEWEST, ...MORE] = SIZES;

/** The benchmark's targets with their results. A target that was not measured counts as missed. */
export function targetsOf(results: Omit<Results, "targets">): Target[] {
  const { works, bundle, life } = results;
  const one = (id: string): Work[] => works.filter((work) => work.id === id);
  const lists = works.filter(({ id }) => id.startsWith("list-"));
  return [
    ofTheLimit("create a task: throughput relative to baseline", 0.8, one("create")),
    ofTheLimit("full lifecycle: throughput relative to baseline", 0.7, one("life")),
    ofTheLimit("read from memory: throughput relative to baseline", 0.85, one("read-hot")),
    ofTheLimit("read after eviction: throughput relative to baseline", 0.85, one("read-cold")),
    atLeast("lists: throughput relative to baseline, median of all kinds", 0.8, typical(lists)),
    atLeast("lists: throughput relative to baseline, slowest kind", 0.8, worst(lists)),
    atMost(
      "lists: p50 with more tasks relative to p50 with 1,000 tasks, worst kind",
      FLAT_MAX,
      steepest(lists),
    ),
    atLeast(
      "full lifecycle: throughput relative to Workflows (local engine)",
      3,
      over(one("life"), WORKFLOWS),
    ),
    atLeast(
      "full lifecycle: throughput relative to the Agents SDK",
      1.5,
      over(one("life"), AGENTS),
    ),
    atMost(
      "cost of a million lifecycles without a pause, in US dollars",
      DOLLARS_MAX,
      sumOf(costOfLives(life)),
    ),
    atMost("start-up time of the modules, in ms", START_UP_MS_MAX, bundle.startUpMs),
    atMost("bundle size after gzip, in KiB", GZIP_BYTES_MAX / KIB, bundle.gzipBytes / KIB),
  ];
}

/** A target for one operation, including the spread of its rounds. */
function ofTheLimit(what: string, bound: number, works: readonly Work[]): Target {
  const [ratio] = ratiosOf(works);
  const target = atLeast(what, bound, ratio?.median ?? null);
  return ratio === undefined ? target : { ...target, spread: ratio };
}

function atLeast(what: string, bound: number, measured: number | null): Target {
  return {
    what,
    asked: `at least ${bound}`,
    measured,
    isMet: measured !== null && measured >= bound,
  };
}

function atMost(what: string, bound: number, measured: number | null): Target {
  return {
    what,
    asked: `at most ${bound}`,
    measured,
    isMet: measured !== null && measured <= bound,
  };
}

/** Bosun's lowest ratio to the baseline among these operations. */
function worst(works: readonly Work[]): number | null {
  const ratios = mediansOf(works);
  return ratios.length === 0 ? null : Math.min(...ratios);
}

/**
 * The median ratio. It says more than the lowest ratio, which is partly due to chance, because there are only a few
 * hundred requests per kind.
 */
function typical(works: readonly Work[]): number | null {
  const ratios = mediansOf(works);
  return ratios.length === 0 ? null : median(ratios);
}

function mediansOf(works: readonly Work[]): number[] {
  return ratiosOf(works).map(({ median: middle }) => middle);
}

function ratiosOf(works: readonly Work[], name = THIS): NonNullable<Figures["ratio"]>[] {
  return works.flatMap(({ entries }) =>
    entries.flatMap(({ contestant, figures }) =>
      contestant === name && figures.ratio !== null ? [figures.ratio] : [],
    ),
  );
}

/**
 * How much faster Bosun is than another contestant. Both are first compared with the baseline in the same rounds,
 * because throughput differs more between rounds than between contestants.
 */
function over(works: readonly Work[], other: string): number | null {
  const [own] = ratiosOf(works);
  const [others] = ratiosOf(works, other);
  return own === undefined || others === undefined ? null : own.median / others.median;
}

/** How much slower pages become with more rows: the largest ratio of a page's p50 to its p50 with the fewest rows. */
function steepest(lists: readonly Work[]): number | null {
  const growths = lists.flatMap(({ id }) => {
    if (!id.endsWith(`-${FEWEST}`)) return [];
    const few = p50(lists, id);
    return MORE.flatMap((rows) => {
      const many = p50(lists, id.replace(new RegExp(`-${FEWEST}$`), `-${rows}`));
      return few === undefined || many === undefined ? [] : [many / few];
    });
  });
  return growths.length === 0 ? null : Math.max(...growths);
}

function p50(works: readonly Work[], id: string): number | undefined {
  const work = works.find((one) => one.id === id);
  return work?.entries.find(({ contestant }) => contestant === THIS)?.figures.p50Ms;
}
