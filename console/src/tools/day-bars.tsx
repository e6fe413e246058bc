import type { DayTotal } from "./daily-usage.ts";
import { formatCost } from "./words.ts";

const HEIGHT = 120;
const BAR_WIDTH = 10;
const GAP = 2;

/** What the bars show: calls, with failed calls on top, or the cost. */
type Measure = "calls" | "cost";

/** Bars by day. The table of days is the alternative in text. */
export function DayBars({
  days,
  measure,
  label,
}: {
  readonly days: readonly DayTotal[];
  readonly measure: Measure;
  readonly label: string;
}) {
  const isCalls = measure === "calls";
  const most = Math.max(0, ...days.map((day) => day[measure]));
  const scale = (amount: number): number => (most === 0 ? 0 : (amount / most) * HEIGHT);
  return (
    <figure className="grid gap-1">
      <svg
        role="img"
        aria-label={label}
        viewBox={`0 0 ${days.length * (BAR_WIDTH + GAP)} ${HEIGHT}`}
        preserveAspectRatio="none"
        className="border-border-strong h-32 w-full border-b"
      >
        {days.map((total, index) => {
          const { day, calls, failed, cost } = total;
          const x = index * (BAR_WIDTH + GAP);
          const height = scale(total[measure]);
          return (
            <g key={day}>
              <title>{`${day}: ${calls} calls, ${failed} failed, ${formatCost(cost)}`}</title>
              <rect x={x} width={BAR_WIDTH + GAP} height={HEIGHT} fill="transparent" />
              <rect
                x={x}
                y={HEIGHT - height}
                width={BAR_WIDTH}
                height={height}
                className="fill-accent"
              />
              {isCalls && (
                <rect
                  x={x}
                  y={HEIGHT - height}
                  width={BAR_WIDTH}
                  height={scale(failed)}
                  className="fill-danger"
                />
              )}
            </g>
          );
        })}
      </svg>
      <figcaption className="text-muted flex justify-between gap-2 text-sm">
        <span>{days.at(0)?.day}</span>
        <span>Highest: {isCalls ? most : formatCost(most)}</span>
        <span>{days.at(-1)?.day}</span>
      </figcaption>
    </figure>
  );
}
