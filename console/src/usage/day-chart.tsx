import { layoutBars, roundUp } from "./bar-layout.ts";
import { formatCost } from "../tasks/cost.ts";
import type { DayRow } from "./days.ts";
import type { Measure } from "./search.ts";

const SIZE = { width: 600, height: 140 } as const;

export function formatMeasure(measure: Measure, value: number): string {
  return measure === "cost" ? formatCost(value) : value.toLocaleString("en");
}

/** Bars by day. The table below it has the same figures as text. */
export function DayChart({
  days,
  measure,
}: {
  readonly days: readonly DayRow[];
  readonly measure: Measure;
}) {
  const values = days.map((day) => day[measure]);
  const max = roundUp(Math.max(0, ...values));
  const bars = layoutBars(values, SIZE, max);
  const failedBars = layoutBars(
    days.map(({ failed }) => (measure === "calls" ? failed : 0)),
    SIZE,
    max,
  );
  return (
    <figure>
      <figcaption className="text-muted flex flex-wrap justify-between gap-2 text-sm">
        <span>
          {measure === "cost" ? "Cost" : "Calls"} by day (UTC), up to {formatMeasure(measure, max)}
        </span>
        {measure === "calls" && (
          <span className="flex items-center gap-3">
            <Legend className="bg-accent" text="All calls" />
            <Legend className="bg-danger" text="Failed" />
          </span>
        )}
      </figcaption>
      <svg
        viewBox={`0 0 ${SIZE.width} ${SIZE.height}`}
        preserveAspectRatio="none"
        aria-hidden
        className="border-border mt-2 h-36 w-full border-b"
      >
        {bars.map((bar, index) => (
          <rect key={days[index]?.day} {...bar} className="fill-accent">
            <title>{`${days[index]?.day}: ${formatMeasure(measure, values[index] ?? 0)}`}</title>
          </rect>
        ))}
        {failedBars.map((bar, index) => (
          <rect key={days[index]?.day} {...bar} className="fill-danger" />
        ))}
      </svg>
      <div aria-hidden className="text-muted flex justify-between text-sm">
        <span>{days[0]?.day}</span>
        <span>{days.at(-1)?.day}</span>
      </div>
    </figure>
  );
}

function Legend({ className, text }: { readonly className: string; readonly text: string }) {
  return (
    <span className="flex items-center gap-1">
      <span aria-hidden className={`${className} size-2.5 rounded-sm`} />
      {text}
    </span>
  );
}
