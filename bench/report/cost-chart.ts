import {
  MUTED_TEXT_COLOUR,
  OTHER_COLOUR,
  TEXT_COLOUR,
} from "../../src/builtin/tools/chart-maker/style.ts";
import {
  AXIS_LINE,
  buildValueAxis,
  renderChartSvg,
  type ChartOption,
} from "../../src/builtin/tools/chart-maker/svg.ts";
import type { LifeUse } from "../results.ts";
import { BOSUN_COLOUR } from "./colours.ts";
import { costOfLives, sumOf } from "./cost.ts";
import { dollars, listPrice, whole } from "./digits.ts";
import { heightOf, label, rowsGrid, titleOption, WIDTH, type Drawing } from "./drawing.ts";
import { isWide, linearScale, logScale } from "./scale.ts";
import { costOfOffer, OFFERS } from "./vendors.ts";

/** A chart of dots instead of bars, because the length of a bar means nothing on a log scale. */
export function costChart(use: LifeUse): Drawing {
  const own = {
    name: "Bosun, including compute",
    cost: sumOf(costOfLives(use)),
    color: BOSUN_COLOUR,
    isLess: false,
  };
  const others = OFFERS.map((offer) => ({
    name: offer.name,
    cost: costOfOffer(offer),
    color: OTHER_COLOUR,
    isLess: offer.isLess ?? false,
  }));
  const rows = [own, ...others].toSorted((one, other) => one.cost - other.cost);
  const costs = rows.map(({ cost }) => cost);
  const isLog = isWide(costs);
  const unit = `US dollars per million tasks${isLog ? " (log scale)" : ""}`;
  const option: ChartOption = {
    title: titleOption(
      "Cost of a million tasks with five steps",
      `${unit} at list prices, lower is better; hollow dot: does less`,
    ),
    grid: rowsGrid(),
    xAxis: {
      ...buildValueAxis(unit, "x"),
      ...(isLog ? logScale(costs) : linearScale(costs)),
      axisLabel: { color: MUTED_TEXT_COLOUR, formatter: tickOf },
    },
    yAxis: {
      type: "category",
      inverse: true,
      data: rows.map(({ name }) => label(name)),
      axisTick: { show: false },
      axisLine: AXIS_LINE,
      axisLabel: { interval: 0, color: TEXT_COLOUR },
    },
    series: {
      type: "scatter",
      silent: true,
      emphasis: { disabled: true },
      symbolSize: 11,
      label: {
        show: true,
        position: "right",
        color: TEXT_COLOUR,
        formatter: ({ dataIndex }) => dollars(rows[dataIndex]?.cost ?? 0),
      },
      data: rows.map(({ cost, color, isLess }, place) => ({
        value: [cost, place],
        itemStyle: {
          color: isLess ? "#FFFFFF" : color,
          borderColor: color,
          borderWidth: 2,
          opacity: 1,
        },
      })),
    },
  };
  const description = `Cost of a million tasks by service, in ${unit}; the table contains the same figures.`;
  const svg = renderChartSvg({ option, width: WIDTH, height: heightOf(rows.length), description });
  return { name: "cost", description, svg };
}

function tickOf(value: number): string {
  return `$${value < 1 ? listPrice(value) : whole(value)}`;
}
