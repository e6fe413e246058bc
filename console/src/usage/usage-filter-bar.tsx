import { useNavigate } from "@tanstack/react-router";
import { classNames } from "../ui/class-names.ts";
import { Button } from "../ui/button.tsx";
import { lastDays } from "./days.ts";
import { dayOf, GROUPINGS, readUsageSearch, type UsageSearch } from "./search.ts";

const FIELD = "border-border-strong bg-surface min-h-8 rounded-md border px-2";
const PERIODS = [7, 30, 90] as const;

export function UsageFilterBar({
  search,
  shown,
}: {
  readonly search: UsageSearch;
  /** The days that the report covers. */
  readonly shown: { readonly from: string; readonly to: string } | undefined;
}) {
  const navigate = useNavigate();
  function change(part: Record<string, string>): void {
    void navigate({ to: "/usage", search: readUsageSearch({ ...search, ...part }) });
  }
  const from = search.from ?? shown?.from ?? "";
  const to = search.to ?? shown?.to ?? "";
  return (
    <div role="search" aria-label="Filters" className="flex flex-wrap items-center gap-2">
      <select
        aria-label="Group by"
        className={FIELD}
        value={search.groupBy ?? "day"}
        onChange={({ target }) => change({ groupBy: target.value })}
      >
        {GROUPINGS.map((grouping) => (
          <option key={grouping} value={grouping}>
            By {grouping}
          </option>
        ))}
      </select>
      <select
        aria-label="Measure"
        className={FIELD}
        value={search.measure ?? "calls"}
        onChange={({ target }) => change({ measure: target.value })}
      >
        <option value="calls">Calls</option>
        <option value="cost">Cost</option>
      </select>
      <div role="group" aria-label="Period" className="flex gap-1">
        {PERIODS.map((days) => {
          const period = lastDays(days, Date.now());
          const isChosen = period.from === from && period.to === to;
          return (
            <Button
              key={days}
              kind="quiet"
              aria-pressed={isChosen}
              className={classNames(isChosen && "bg-accent-soft text-accent")}
              onClick={() => change(period)}
            >
              {days} days
            </Button>
          );
        })}
      </div>
      <input
        type="date"
        aria-label="From (UTC)"
        className={FIELD}
        value={from}
        max={to}
        onChange={({ target }) => change({ from: target.value, to })}
      />
      <input
        type="date"
        aria-label="To (UTC)"
        className={FIELD}
        value={to}
        min={from}
        max={dayOf(Date.now())}
        onChange={({ target }) => change({ from, to: target.value })}
      />
      <IdFilter label="Agent" value={search.agentId} onChange={(agentId) => change({ agentId })} />
      <IdFilter label="Tool" value={search.toolId} onChange={(toolId) => change({ toolId })} />
    </div>
  );
}

/** A filter that applies when the person presses Enter or leaves the field. */
function IdFilter({
  label,
  value = "",
  onChange,
}: {
  readonly label: string;
  readonly value: string | undefined;
  readonly onChange: (value: string) => void;
}) {
  return (
    <input
      // A new value from the URL replaces what is typed.
      key={value}
      aria-label={label}
      placeholder={`Any ${label.toLowerCase()}`}
      defaultValue={value}
      className={`${FIELD} w-36`}
      onKeyDown={(event) => {
        if (event.key === "Enter") event.currentTarget.blur();
      }}
      onBlur={({ target }) => {
        if (target.value.trim() !== value) onChange(target.value);
      }}
    />
  );
}
