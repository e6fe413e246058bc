import { Link } from "@tanstack/react-router";
import { VirtualList } from "../ui/virtual-list.tsx";
import type { Counted } from "./days.ts";
import { formatMeasure } from "./day-chart.tsx";
import { formatCost } from "../tasks/cost.ts";
import type { Grouping, Measure } from "./search.ts";

const ROW_HEIGHT = 54;

/** A row of the report. `name` is a day, an id or a label; null for usage without one. */
export interface NamedRow extends Counted {
  readonly name: string | null;
}

/** The figures as text, with a bar for each row. */
export function UsageTable({
  rows,
  groupBy,
  measure,
}: {
  readonly rows: readonly NamedRow[];
  readonly groupBy: Grouping;
  readonly measure: Measure;
}) {
  const max = Math.max(0, ...rows.map((row) => row[measure]));
  return (
    <VirtualList
      label={`Usage by ${groupBy}`}
      items={rows}
      keyOf={({ name }) => name ?? ""}
      estimatedHeight={ROW_HEIGHT}
    >
      {(row) => (
        <div className="grid grid-cols-[minmax(0,1fr)_auto] items-center gap-x-4 px-3 py-2 sm:grid-cols-[minmax(0,16rem)_minmax(0,1fr)_22rem]">
          <span className="truncate font-medium" title={row.name ?? undefined}>
            <RowName name={row.name} groupBy={groupBy} />
          </span>
          <svg
            viewBox="0 0 100 1"
            preserveAspectRatio="none"
            aria-hidden
            className="bg-sunken order-last col-span-2 h-2 w-full rounded-sm sm:order-none sm:col-span-1"
          >
            <rect
              width={max > 0 ? (row[measure] / max) * 100 : 0}
              height={1}
              className="fill-accent"
            />
          </svg>
          <span className="text-muted grid justify-end gap-x-4 text-right text-sm tabular-nums sm:grid-cols-3">
            <span className={measure === "cost" ? "text-text" : ""}>{formatCost(row.cost)}</span>
            <span className={measure === "calls" ? "text-text" : ""}>
              {formatMeasure("calls", row.calls)} {row.calls === 1 ? "call" : "calls"}
            </span>
            <span className={row.failed > 0 ? "text-danger" : ""}>
              {formatMeasure("calls", row.failed)} failed
            </span>
          </span>
        </div>
      )}
    </VirtualList>
  );
}

const UNNAMED: Readonly<Record<Grouping, string>> = {
  day: "No day",
  agent: "No agent",
  tool: "Models and agents",
  team: "No team",
  key: "Unknown key",
  label: "No label",
};

function RowName({ name, groupBy }: { readonly name: string | null; readonly groupBy: Grouping }) {
  const link = "hover:text-accent hover:underline";
  if (name === null) return <span className="text-muted">{UNNAMED[groupBy]}</span>;
  if (name === "*") return <span className="text-muted">Other {groupBy}s</span>;
  if (groupBy === "agent") {
    return (
      <Link to="/agents/$agentId" params={{ agentId: name }} className={link}>
        {name}
      </Link>
    );
  }
  if (groupBy === "tool") {
    return (
      <Link to="/tools/$toolId" params={{ toolId: name }} className={link}>
        {name}
      </Link>
    );
  }
  return name;
}
