import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { BudgetMeter } from "../tasks/budget-meter.tsx";
import { formatCost } from "../tasks/cost.ts";
import type { ListedTask } from "../tasks/queries.ts";
import { StatusBadge } from "../tasks/status-badge.tsx";
import { titleOf } from "../tasks/task-title.ts";
import { Card, ErrorPanel, Loading } from "../ui/panels.tsx";
import { CURRENT_TASKS_MAX, currentTasksQuery } from "./queries.ts";

/** The budgets of current tasks as bars, the most used first. */
export function TaskBudgets() {
  const query = useQuery(currentTasksQuery);
  return (
    <Card title="Budgets of current tasks">
      {query.isPending && <Loading what="the tasks" />}
      {query.error && <ErrorPanel error={query.error} retry={() => void query.refetch()} />}
      {query.data && (
        <BudgetList tasks={query.data.tasks} hasMore={query.data.nextCursor !== null} />
      )}
    </Card>
  );
}

function BudgetList({
  tasks,
  hasMore,
}: {
  readonly tasks: readonly ListedTask[];
  readonly hasMore: boolean;
}) {
  const limited = tasks
    .filter(({ budget }) => budget?.maxCost !== undefined || budget?.maxToolCalls !== undefined)
    .toSorted((one, other) => usedShareOf(other) - usedShareOf(one));
  return (
    <>
      {limited.length === 0 && (
        <p className="text-muted">No current task has a budget for cost or tool calls.</p>
      )}
      <ul className="divide-border divide-y">
        {limited.map((task) => (
          <li key={task.taskId} className="grid gap-x-4 gap-y-1 py-2 sm:grid-cols-4">
            <div className="flex min-w-0 items-center gap-2 sm:col-span-2">
              <StatusBadge status={task.status} />
              <Link
                to="/tasks/$taskId"
                params={{ taskId: task.taskId }}
                title={titleOf(task)}
                className="hover:text-accent min-w-0 truncate hover:underline"
              >
                <bdi>{titleOf(task)}</bdi>
              </Link>
            </div>
            <div className="text-sm">
              {task.budget?.maxCost !== undefined && (
                <BudgetMeter
                  used={task.spend?.cost ?? 0}
                  limit={task.budget.maxCost}
                  format={formatCost}
                  what="Cost"
                />
              )}
            </div>
            <div className="text-sm">
              {task.budget?.maxToolCalls !== undefined && (
                <BudgetMeter
                  used={task.spend?.toolCalls ?? 0}
                  limit={task.budget.maxToolCalls}
                  format={(calls) => `${calls.toLocaleString("en")} calls`}
                  what="Tool calls"
                />
              )}
            </div>
          </li>
        ))}
      </ul>
      {hasMore && (
        <p className="text-muted text-sm">
          Only the newest {CURRENT_TASKS_MAX} current tasks are included.
        </p>
      )}
    </>
  );
}

/** The larger share of the budget that a task has used: of its cost or of its tool calls. */
function usedShareOf({ spend, budget }: ListedTask): number {
  return Math.max(
    shareOf(spend?.cost, budget?.maxCost),
    shareOf(spend?.toolCalls, budget?.maxToolCalls),
  );
}

function shareOf(used: number | undefined, limit: number | undefined): number {
  if (limit === undefined) return 0;
  return limit === 0 ? 1 : (used ?? 0) / limit;
}
