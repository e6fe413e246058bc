import type { ReactNode } from "react";
import type { UsageSum } from "./daily-usage.ts";
import { formatCost } from "./words.ts";

interface Row {
  readonly key: string;
  readonly label: ReactNode;
  readonly sum: UsageSum;
}

const CELL = "px-2 py-1 text-right tabular-nums";

/** Calls, failures and cost of each row. */
export function UsageTable({
  caption,
  heading,
  rows,
}: {
  readonly caption: string;
  readonly heading: string;
  readonly rows: readonly Row[];
}) {
  if (rows.length === 0) return <p className="text-muted">No calls in this period.</p>;
  return (
    <div role="region" aria-label={caption} tabIndex={0} className="overflow-x-auto">
      <table className="w-full max-w-2xl">
        <caption className="sr-only">{caption}</caption>
        <thead className="text-muted border-border border-b">
          <tr>
            <th scope="col" className="px-2 py-1 text-left font-medium">
              {heading}
            </th>
            {["Calls", "Failed", "Cost"].map((name) => (
              <th key={name} scope="col" className="px-2 py-1 text-right font-medium">
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody className="divide-border divide-y">
          {rows.map(({ key, label, sum }) => (
            <tr key={key}>
              <th scope="row" className="px-2 py-1 text-left font-normal">
                {label}
              </th>
              <td className={CELL}>{sum.calls}</td>
              <td className={CELL}>{sum.failed}</td>
              <td className={CELL}>{formatCost(sum.cost)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
