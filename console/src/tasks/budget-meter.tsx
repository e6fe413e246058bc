import { classNames } from "../ui/class-names.ts";

const NEARLY_USED = 0.8;

/** An amount against its limit, as text and as a bar. */
export function BudgetMeter({
  used,
  limit,
  format,
  what,
}: {
  readonly used: number;
  readonly limit: number | undefined;
  readonly format: (amount: number) => string;
  readonly what: string;
}) {
  if (limit === undefined) return format(used);
  const share = limit === 0 ? 1 : Math.min(1, used / limit);
  const text = `${format(used)} of ${format(limit)}`;
  const color = share >= 1 ? "bg-danger" : share >= NEARLY_USED ? "bg-warning" : "bg-accent";
  return (
    <>
      {text}
      <div
        role="meter"
        aria-label={`${what} against the budget`}
        aria-valuemin={0}
        aria-valuemax={limit}
        aria-valuenow={Math.min(used, limit)}
        aria-valuetext={text}
        className="bg-sunken border-border mt-1 h-2 overflow-hidden rounded-full border"
      >
        <div className={classNames("h-full", color)} style={{ width: `${share * 100}%` }} />
      </div>
    </>
  );
}
