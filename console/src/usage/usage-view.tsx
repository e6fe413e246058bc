import { useMutation, useQuery } from "@tanstack/react-query";
import { useSearch } from "@tanstack/react-router";
import { Download } from "lucide-react";
import { curlFor } from "../api/curl.ts";
import { useHasScope } from "../session/identity.ts";
import { Button } from "../ui/button.tsx";
import { Card, EmptyState, ErrorPanel, Loading, ViewHeader } from "../ui/panels.tsx";
import { DayChart } from "./day-chart.tsx";
import { formatCost } from "../tasks/cost.ts";
import { withEmptyDays, type Counted } from "./days.ts";
import { readCsv, saveFile } from "./export-csv.ts";
import { csvAddress, TOOLS_MAX, usageQuery, type Usage, type UsageRow } from "./queries.ts";
import type { Grouping, Measure, UsageSearch } from "./search.ts";
import { TaskBudgets } from "./task-budgets.tsx";
import { UsageFilterBar } from "./usage-filter-bar.tsx";
import { UsageTable, type NamedRow } from "./usage-table.tsx";

const INVOKE_COMMAND = curlFor("POST", "/agents/tools/text-analyst/invoke", {
  capability: "summarise",
  parameters: { text: "…" },
});

export function UsageView() {
  const search = useSearch({ from: "/shell/usage" });
  const query = useQuery(usageQuery(search));
  const mayReadTasks = useHasScope("tasks:read");
  const exporting = useMutation({
    mutationFn: () => readCsv(csvAddress(search)),
    onSuccess: saveFile,
  });
  return (
    <>
      <ViewHeader title="Usage">
        <Button disabled={exporting.isPending} onClick={() => exporting.mutate()}>
          <Download aria-hidden className="size-4" />
          {exporting.isPending ? "Exporting …" : "Export as CSV"}
        </Button>
      </ViewHeader>
      {exporting.error && (
        <div className="mb-4">
          <ErrorPanel error={exporting.error} retry={() => exporting.mutate()} />
        </div>
      )}
      <div className="grid gap-4">
        <UsageFilterBar search={search} shown={query.data} />
        {query.isPending && <Loading what="the usage" />}
        {query.error && <ErrorPanel error={query.error} retry={() => void query.refetch()} />}
        {query.data && (
          <Report usage={query.data} search={search} retry={() => void query.refetch()} />
        )}
        {mayReadTasks && <TaskBudgets />}
      </div>
    </>
  );
}

function Report({
  usage,
  search,
  retry,
}: {
  readonly usage: Usage;
  readonly search: UsageSearch;
  readonly retry: () => void;
}) {
  const groupBy: Grouping = search.groupBy ?? "day";
  const measure: Measure = search.measure ?? "calls";
  const days = groupBy === "day" ? withEmptyDays(usage.rows, usage) : [];
  const rows =
    search.groupBy === undefined
      ? daysAsRows(days)
      : sortedRows(usage.rows, search.groupBy, measure);
  return (
    <>
      {usage.missing.length > 0 && (
        <ErrorPanel
          error={
            new Error(
              `The figures do not include these tools, whose meters did not respond: ${usage.missing.join(", ")}`,
            )
          }
          retry={retry}
        />
      )}
      {usage.hasMore && (
        <p className="text-warning">
          The report and its totals are incomplete: they cover only the first{" "}
          {TOOLS_MAX.toLocaleString("en")} tools. To see another tool, filter by its id.
        </p>
      )}
      <Totals rows={usage.rows} />
      {groupBy === "label" && (
        <p className="text-muted">
          Usage of a task with several labels is in several rows, and counts several times in the
          totals.
        </p>
      )}
      {usage.rows.length === 0 ? (
        <EmptyState title="No usage in this period" command={INVOKE_COMMAND}>
          This view counts tool calls, and the cost of models and agents.
        </EmptyState>
      ) : (
        <>
          {groupBy === "day" && (
            <Card>
              <DayChart days={days} measure={measure} />
            </Card>
          )}
          <UsageTable rows={rows} groupBy={groupBy} measure={measure} />
        </>
      )}
    </>
  );
}

function daysAsRows(days: ReturnType<typeof withEmptyDays>): readonly NamedRow[] {
  return days.map(({ day, ...counted }) => ({ name: day, ...counted })).toReversed();
}

const NAME_FIELDS = {
  agent: "agentId",
  tool: "toolId",
  team: "teamId",
  key: "keyId",
  label: "label",
} as const;

function sortedRows(
  rows: readonly UsageRow[],
  groupBy: Exclude<Grouping, "day">,
  measure: Measure,
): readonly NamedRow[] {
  return rows
    .map((row) => {
      const { calls, failed, cost } = row;
      return { name: row[NAME_FIELDS[groupBy]] ?? null, calls, failed, cost };
    })
    .toSorted((one, other) => other[measure] - one[measure]);
}

function Totals({ rows }: { readonly rows: readonly Counted[] }) {
  const sum = (name: keyof Counted): number => rows.reduce((total, row) => total + row[name], 0);
  const calls = sum("calls");
  const failed = sum("failed");
  const share = calls === 0 ? "" : ` (${((failed / calls) * 100).toFixed(1)}%)`;
  const figures = [
    ["Cost", formatCost(sum("cost"))],
    ["Calls", calls.toLocaleString("en")],
    ["Failed", `${failed.toLocaleString("en")}${share}`],
  ] as const;
  return (
    <dl className="grid grid-cols-3 gap-2 sm:gap-3">
      {figures.map(([name, value]) => (
        <div key={name} className="border-border bg-surface min-w-0 rounded-lg border p-2 sm:p-3">
          <dt className="text-muted">{name}</dt>
          <dd className="text-xl font-semibold tabular-nums">{value}</dd>
        </div>
      ))}
    </dl>
  );
}
