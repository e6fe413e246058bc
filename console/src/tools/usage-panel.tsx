import { useQuery } from "@tanstack/react-query";
import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import { CircleCheck, CircleX } from "lucide-react";
import { Badge } from "../ui/badge.tsx";
import { SelectField } from "../ui/field.tsx";
import { Card, EmptyState, ErrorPanel, Loading } from "../ui/panels.tsx";
import { spaceUnits } from "../ui/relative-time.ts";
import { Time } from "../ui/time.tsx";
import type { Schemas } from "../api/client.ts";
import { curlFor } from "../api/curl.ts";
import { DAYS_DEFAULT } from "./breaker-state.tsx";
import { agentTotals, dailyTotals } from "./daily-usage.ts";
import { DayBars } from "./day-bars.tsx";
import { USAGE_DAYS } from "./filters.ts";
import { toolUsageQuery } from "./queries.ts";
import { UsageTable } from "./usage-table.tsx";
import { count, formatCost } from "./words.ts";

/** Calls and cost of a tool by day and agent, and its last calls. */
export function UsagePanel({ toolId }: { readonly toolId: string }) {
  const { days = DAYS_DEFAULT } = useSearch({ from: "/shell/tools/$toolId" });
  const navigate = useNavigate({ from: "/tools/$toolId" });
  const usage = useQuery(toolUsageQuery(toolId, days));
  return (
    <div className="grid gap-4">
      <div className="max-w-48">
        <SelectField
          label="Period"
          value={days}
          onChange={({ target }) => {
            const chosen = USAGE_DAYS.find((one) => String(one) === target.value);
            void navigate({
              search: { tab: "usage", ...(chosen && { days: chosen }) },
              replace: true,
            });
          }}
        >
          {USAGE_DAYS.map((one) => (
            <option key={one} value={one}>
              Last {one} days
            </option>
          ))}
        </SelectField>
      </div>
      {usage.isPending && <Loading what="the usage" />}
      {usage.error && <ErrorPanel error={usage.error} retry={() => void usage.refetch()} />}
      {usage.data && <Report usage={usage.data} />}
    </div>
  );
}

function Report({ usage }: { readonly usage: Schemas["ToolUsage"] }) {
  const days = dailyTotals(usage);
  const { calls, failed, cost, duration } = usage.total;
  const summary = `${count(calls, "call")}, ${failed} failed, ${formatCost(cost)}, ${spaceUnits(duration)} in total`;
  return (
    <>
      <Card title="By day (UTC)">
        <p className="mb-3">{summary}</p>
        <h3 className="mb-1 font-medium">Calls</h3>
        <DayBars
          measure="calls"
          days={days}
          label={`Calls by day: ${summary}. The table below has the figures.`}
        />
        <p className="text-muted mt-1 flex gap-4 text-sm">
          <span className="flex items-center gap-1.5">
            <span aria-hidden className="bg-accent size-2.5" /> Succeeded (bottom)
          </span>
          <span className="flex items-center gap-1.5">
            <span aria-hidden className="bg-danger size-2.5" /> Failed (top)
          </span>
        </p>
        <h3 className="mt-4 mb-1 font-medium">Cost</h3>
        <DayBars
          measure="cost"
          days={days}
          label={`Cost by day: ${formatCost(cost)} in total. The table below has the figures.`}
        />
        <details className="mt-2">
          <summary className="text-accent w-fit py-0.5">Show as a table</summary>
          <UsageTable
            caption="Usage by day"
            heading="Day (UTC)"
            rows={days
              .filter((day) => day.calls > 0)
              .map((day) => ({ key: day.day, label: day.day, sum: day }))
              .toReversed()}
          />
        </details>
      </Card>
      <Card title="By agent">
        <UsageTable
          caption="Usage by agent"
          heading="Agent"
          rows={agentTotals(usage).map(({ agentId, ...sum }) => ({
            key: agentId ?? "",
            label: <AgentLabel agentId={agentId} />,
            sum,
          }))}
        />
      </Card>
      <Card title="Last calls">
        <RecentCalls calls={usage.recentCalls} toolId={usage.toolId} />
      </Card>
    </>
  );
}

/** The API sums agents beyond the first thousand of a day as `*`. */
function AgentLabel({ agentId }: { readonly agentId: string | null }) {
  if (agentId === null) return "No agent";
  if (agentId === "*") return "Other agents";
  return (
    <Link to="/agents/$agentId" params={{ agentId }} className="text-accent break-all underline">
      {agentId}
    </Link>
  );
}

function RecentCalls({
  calls,
  toolId,
}: {
  readonly calls: readonly Schemas["RecordedCall"][];
  readonly toolId: string;
}) {
  if (calls.length === 0) {
    return (
      <EmptyState
        title="No calls yet"
        command={curlFor("POST", `/agents/tools/${toolId}/invoke`, {
          capability: "…",
          parameters: {},
        })}
      />
    );
  }
  return (
    <ul className="divide-border divide-y">
      {calls.map(({ at, capability, agentId = null, taskId, ok, code, cost, duration }, index) => (
        <li
          key={`${at} ${index}`}
          className="flex min-w-0 flex-wrap items-center gap-x-3 gap-y-1 py-1.5"
        >
          <Badge
            tone={ok ? "success" : "danger"}
            icon={ok ? <CircleCheck aria-hidden /> : <CircleX aria-hidden />}
          >
            {ok ? "Succeeded" : (code ?? "Failed")}
          </Badge>
          <code className="min-w-0 break-all">{capability}</code>
          <span className="min-w-0">
            <AgentLabel agentId={agentId} />
          </span>
          {taskId !== undefined && (
            <Link to="/tasks/$taskId" params={{ taskId }} className="text-accent underline">
              Task {taskId.slice(0, 8)}
            </Link>
          )}
          <span className="text-muted ml-auto flex gap-3">
            <span>{spaceUnits(duration)}</span>
            <span>{formatCost(cost)}</span>
            <Time at={at} />
          </span>
        </li>
      ))}
    </ul>
  );
}
