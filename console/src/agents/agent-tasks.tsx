import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { StatusBadge } from "../tasks/status-badge.tsx";
import { formatCost } from "../tasks/cost.ts";
import { titleOf } from "../tasks/task-title.ts";
import type { ListedTask } from "../tasks/queries.ts";
import { Card, ErrorPanel, Loading } from "../ui/panels.tsx";
import { formatDuration } from "../ui/relative-time.ts";
import { Time } from "../ui/time.tsx";
import { useHasScope } from "../session/identity.ts";
import { usageQuery, type Usage } from "../usage/queries.ts";
import { dayOf } from "../usage/search.ts";
import { agentTasksQuery, RECENT_TASKS_MAX } from "./queries.ts";
import { count } from "../tools/words.ts";
import { agentStatistics } from "./statistics.ts";

const RECENT_SHOWN_MAX = 15;

/** An agent's tasks and what they say about it. All figures are from its newest tasks. */
export function AgentTasks({ agentId }: { readonly agentId: string }) {
  const query = useQuery(agentTasksQuery(agentId));
  if (query.isPending) return <Loading what="the tasks" />;
  if (query.data === undefined)
    return <ErrorPanel error={query.error} retry={() => void query.refetch()} />;
  const { tasks } = query.data;
  const hasEnded = ({ endedAt }: ListedTask): boolean => endedAt !== undefined;
  const ended = tasks.filter(hasEnded);
  const current = tasks.filter((task) => !hasEnded(task));
  return (
    <>
      <Statistics agentId={agentId} tasks={tasks} />
      <Card title="Current tasks" actions={<AllTasks agentId={agentId} />}>
        <TaskLines tasks={current} none="The agent has no current tasks." />
      </Card>
      <Card title="Ended tasks, newest first">
        <TaskLines tasks={ended.slice(0, RECENT_SHOWN_MAX)} none="No tasks have ended yet." />
      </Card>
    </>
  );
}

function AllTasks({ agentId }: { readonly agentId: string }) {
  return (
    <Link to="/tasks" search={{ agentId }} className="text-accent underline">
      All tasks
    </Link>
  );
}

function Statistics({
  agentId,
  tasks,
}: {
  readonly agentId: string;
  readonly tasks: readonly ListedTask[];
}) {
  const mayReadUsage = useHasScope("tools:read");
  const week = usageQuery({ agentId, from: firstDayOfWeek(Date.now()) });
  const usage = useQuery({ ...week, enabled: mayReadUsage });
  const { ended, successRate, medianDurationMs } = agentStatistics(tasks);
  const figures = [
    ["Success rate", successRate === null ? "–" : `${Math.round(successRate * 100)}%`],
    ["Median duration", medianDurationMs === null ? "–" : formatDuration(medianDurationMs)],
    ["Cost, 7 days", formatWeekCost(usage.data)],
    ["Completed or failed", String(ended)],
    ["Current", String(tasks.filter(({ endedAt }) => endedAt === undefined).length)],
  ] as const;
  return (
    <Card title="Performance">
      <dl className="grid grid-cols-2 gap-3 lg:grid-cols-5">
        {figures.map(([name, value]) => (
          <div key={name}>
            <dt className="text-muted">{name}</dt>
            <dd className="text-xl font-semibold tabular-nums">{value}</dd>
          </div>
        ))}
      </dl>
      <p className="text-muted pt-2 text-sm">
        {tasks.length === RECENT_TASKS_MAX
          ? `All values except the cost are based on the agent's newest ${RECENT_TASKS_MAX} tasks.`
          : `All values except the cost are based on the agent's ${count(tasks.length, "task")}.`}{" "}
        Duration is the time from start to completion, including waiting.
      </p>
    </Card>
  );
}

function formatWeekCost(usage: Usage | undefined): string {
  if (usage === undefined) return "–";
  const cost = formatCost(usage.rows.reduce((total, row) => total + row.cost, 0));
  return usage.missing.length === 0 ? cost : `at least ${cost}`;
}

/** The first of the last seven days, in UTC. */
function firstDayOfWeek(now: number): string {
  return dayOf(now - 6 * 86_400_000);
}

function TaskLines({
  tasks,
  none,
}: {
  readonly tasks: readonly ListedTask[];
  readonly none: string;
}) {
  if (tasks.length === 0) return <p className="text-muted">{none}</p>;
  return (
    <ul className="divide-border divide-y">
      {tasks.map((task) => (
        <li key={task.taskId} className="flex flex-wrap items-center gap-x-3 gap-y-1 py-1.5">
          <StatusBadge status={task.status} />
          <Link
            to="/tasks/$taskId"
            params={{ taskId: task.taskId }}
            title={titleOf(task)}
            className="hover:text-accent min-w-0 flex-1 basis-48 truncate hover:underline"
          >
            <bdi>{titleOf(task)}</bdi>
          </Link>
          <span className="text-muted text-sm">
            <Time at={task.endedAt ?? task.startedAt ?? task.createdAt} />
          </span>
        </li>
      ))}
    </ul>
  );
}
