import { classNames } from "../ui/class-names.ts";
import { formatUse, limitBarOf, limitStateOf } from "./limit-use.ts";
import type { Limit } from "./queries.ts";

const COLORS = { low: "bg-accent", high: "bg-warning", full: "bg-danger" };

/** The use of a limit as a bar: what is used, what calls in progress may use, and where the warning occurs. */
export function LimitMeter({ limit }: { readonly limit: Limit }) {
  const { used, reserved } = limitBarOf(limit);
  const text = formatUse(limit);
  return (
    <div className="grid gap-1">
      <p className="text-sm">{text}</p>
      <div
        role="meter"
        aria-label={`Use of ${limit.name}`}
        aria-valuemin={0}
        aria-valuemax={limit.limit}
        aria-valuenow={Math.min(limit.used, limit.limit)}
        aria-valuetext={text}
        className="bg-sunken border-border relative flex h-3 overflow-hidden rounded-full border"
      >
        <div
          className={classNames("h-full", COLORS[limitStateOf(limit)])}
          style={{ width: `${used}%` }}
        />
        <div className="bg-accent/40 h-full" style={{ width: `${reserved}%` }} />
        {limit.warnAt < 1 && (
          <div
            title={`Warns at ${Number((limit.warnAt * 100).toFixed(2))}%`}
            className="bg-text absolute inset-y-0 w-px"
            style={{ left: `${limit.warnAt * 100}%` }}
          />
        )}
      </div>
    </div>
  );
}
