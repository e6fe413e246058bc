import { axisLine, valueAxis } from "../../src/tools/connectors/builtin/chart-maker/layout.ts";
import { svgOf, type ChartOption } from "../../src/tools/connectors/builtin/chart-maker/svg.ts";
import { INK, MUTED, REST_COLOUR } from "../../src/tools/connectors/builtin/chart-maker/theme.ts";
import type { LifeUse } from "../results.ts";
import { BOSUN_COLOUR } from "./colours.ts";
import { costOfLives, sumOf } from "./cost.ts";
import { dollars, listPrice, whole } from "./digits.ts";
import { heightOf, label, rowsGrid, titleOption, WIDTH, type Drawing } from "./drawing.ts";
import { isWide, linearScale, logScale } from "./scale.ts";
import { costOfOffer, OFFERS } from "./vendors.ts";

/** Dots, not bars: on a log scale a bar's length means nothing. */
export function costChart(use: LifeUse): Drawing {
  const own = {
    name: "Bosun, the work itself included",
    cost: sumOf(costOfLives(use)),
    color: BOSUN_COLOUR,
    isLess: false,
  };
  const others = OFFERS.map((offer) => ({
    name: offer.name,
    cost: costOfOffer(offer),
    color: REST_COLOUR,
    isLess: offer.isLess ?? false,
  }));
  const rows = [own, ...others].toSorted((one, other) => one.cost - other.cost);
  const costs = rows.map(({ cost }) => cost);
  const isLog = isWide(costs);
  const unit = `US dollars for a million tasks${isLog ? " (log scale)" : ""}`;
  const option: ChartOption = {
    title: titleOption(
      "Cost of a million tasks of five steps",
      `${unit} by list prices, less is better; hollow: not the same work`,
    ),
    grid: rowsGrid(),
    xAxis: {
      ...valueAxis(unit, "x"),
      ...(isLog ? logScale(costs) : linearScale(costs)),
      axisLabel: { color: MUTED, formatter: tickOf },
    },
    yAxis: {
      type: "category",
      inverse: true,
      data: rows.map(({ name }) => label(name)),
      axisTick: { show: false },
      axisLine,
      axisLabel: { interval: 0, color: INK },
    },
    series: {
      type: "scatter",
      silent: true,
      emphasis: { disabled: true },
      symbolSize: 11,
      label: {
        show: true,
        position: "right",
        color: INK,
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
  const description = `Cost of a million tasks by service, in ${unit}; the figures are those of the table.`;
  const svg = svgOf({ option, width: WIDTH, height: heightOf(rows.length), description });
  return { name: "cost", description, svg };
}

function tickOf(value: number): string {
  return `$${value < 1 ? listPrice(value) : whole(value)}`;
}
