import type { DayTotal } from "./daily-usage.ts";

const HEIGHT = 120;
const BAR_WIDTH = 10;
const GAP = 2;

/** Bars by day: successful calls at the bottom, failed calls on top. The table of days is the alternative in text. */
export function DayBars({
  days,
  label,
}: {
  readonly days: readonly DayTotal[];
  readonly label: string;
}) {
  const most = Math.max(1, ...days.map(({ calls }) => calls));
  const scale = (amount: number): number => (amount / most) * HEIGHT;
  return (
    <figure className="grid gap-1">
      <svg
        role="img"
        aria-label={label}
        viewBox={`0 0 ${days.length * (BAR_WIDTH + GAP)} ${HEIGHT}`}
        preserveAspectRatio="none"
        className="border-border-strong h-32 w-full border-b"
      >
        {days.map(({ day, calls, failed }, index) => {
          const x = index * (BAR_WIDTH + GAP);
          const succeeded = scale(calls - failed);
          return (
            <g key={day}>
              <title>{`${day}: ${calls} calls, ${failed} failed`}</title>
              <rect x={x} y={0} width={BAR_WIDTH + GAP} height={HEIGHT} fill="transparent" />
              <rect
                x={x}
                y={HEIGHT - succeeded}
                width={BAR_WIDTH}
                height={succeeded}
                className="fill-accent"
              />
              <rect
                x={x}
                y={HEIGHT - scale(calls)}
                width={BAR_WIDTH}
                height={scale(failed)}
                className="fill-danger"
              />
            </g>
          );
        })}
      </svg>
      <figcaption className="text-muted flex justify-between gap-2 text-sm">
        <span>{days.at(0)?.day}</span>
        <span>Most calls on a day: {most}</span>
        <span>{days.at(-1)?.day}</span>
      </figcaption>
    </figure>
  );
}
