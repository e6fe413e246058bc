import type { Results, Work } from "../results.ts";
import { costChart } from "./cost-chart.ts";
import type { Drawing } from "./drawing.ts";
import { groupsOf, LISTS, listsOf, type Group } from "./groups.ts";
import { latencyChart } from "./latency-chart.ts";
import { throughputChart } from "./throughput-chart.ts";
import { whole } from "./digits.ts";

/** Draws a chart for each group of operations, one for the latency of lists by directory size, and one for the cost. */
export function chartsOf({ works, life }: Results): Drawing[] {
  const groups = groupsOf(works).flatMap((group) =>
    group.id === LISTS ? listCharts(group) : [throughputChart(group)],
  );
  return [...groups, costChart(life)];
}

/**
 * The throughput chart shows each list only at its largest size, because bars for all sizes would be too many. It also
 * shows lists without a size.
 */
function listCharts(group: Group): Drawing[] {
  const lists = listsOf(group.works);
  const largest = lists.sizes.at(-1);
  if (largest === undefined) return [throughputChart(group)];
  const works = lists.kinds.flatMap(({ title, bySize }): Work[] => {
    const work = bySize.get(largest);
    return work === undefined ? [] : [{ ...work, title }];
  });
  const title = `${group.title}, ${whole(largest)} in the directory`;
  return [
    throughputChart({ ...group, title, works: [...works, ...lists.others] }),
    latencyChart(lists),
  ];
}
