import type { DotGroup } from "./dots.ts";
import { labelOf } from "./label.ts";
import {
  axisLine,
  axisName,
  gridOption,
  HEIGHT,
  legendOption,
  titleOption,
  valueAxis,
  WIDTH,
} from "./layout.ts";
import type { Chart, ChartOption } from "./svg.ts";
import { MUTED, PALETTE, REST_COLOUR, RULE } from "./theme.ts";

export interface ScatterChart {
  readonly groups: readonly DotGroup[];
  readonly isTime: boolean;
  readonly xName: string;
  readonly yName: string;
  readonly title: string;
}

const NAME_CHARACTERS_MAX = 18;
/** Shapes tell groups apart where colours cannot. */
const SHAPES = [
  "circle",
  "triangle",
  "rect",
  "diamond",
  "path://M0 0H10L5 9Z",
  "path://M4 0H8V4H12V8H8V12H4V8H0V4H4Z",
];
const MANY_DOTS = 500;

export function scatterChart({ groups, isTime, xName, yName, title }: ScatterChart): Chart {
  const names = namesOf(groups);
  const dots = groups.reduce((sum, { points }) => sum + points.length, 0);
  const option: ChartOption = {
    title: titleOption(title),
    ...(names.length > 0 && { legend: legendOption() }),
    grid: gridOption(names),
    xAxis: isTime ? timeAxis(xName) : { ...valueAxis(xName, "x"), scale: true, axisLine },
    yAxis: { ...valueAxis(yName, "y"), scale: true },
    series: groups.map(({ isRest, points }, index) => ({
      type: "scatter" as const,
      name: names[index] ?? "",
      silent: true,
      emphasis: { disabled: true },
      symbol: isRest ? "emptyCircle" : (SHAPES[index % SHAPES.length] ?? "circle"),
      symbolSize: dots > MANY_DOTS ? 6 : 8,
      z: isRest ? 1 : 2,
      itemStyle: {
        color: isRest ? REST_COLOUR : (PALETTE[index % PALETTE.length] ?? REST_COLOUR),
        opacity: dots > MANY_DOTS ? 0.6 : 0.75,
      },
      data: points.map((point) => [...point]),
    })),
  };
  const count = `${dots} ${dots === 1 ? "dot" : "dots"}`;
  const kinds = names.length > 0 ? ` in ${names.length} groups: ${names.join(", ")}` : "";
  return {
    option,
    width: WIDTH,
    height: HEIGHT,
    description: `Scatter plot. ${title}. ${count}${kinds}.`,
  };
}

/** What the legend calls the groups, each differently; empty when they are not told apart. */
function namesOf(groups: readonly DotGroup[]): string[] {
  const names = new Set<string>();
  for (const { name } of groups) {
    if (name === null) continue;
    const label = labelOf(name, NAME_CHARACTERS_MAX) || "blank";
    let unique = label;
    for (let copy = 2; names.has(unique); copy++) unique = `${label} ${copy}`;
    names.add(unique);
  }
  return [...names];
}

function timeAxis(name: string): NonNullable<ChartOption["xAxis"]> {
  return {
    type: "time",
    ...axisName(name, "x"),
    axisLabel: { color: MUTED, hideOverlap: true },
    axisTick: { show: false },
    axisLine,
    splitLine: { show: true, lineStyle: { color: RULE } },
  };
}
