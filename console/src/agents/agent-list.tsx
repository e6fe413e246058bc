import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { curlFor } from "../api/curl.ts";
import { titleOf } from "../tasks/task-title.ts";
import type { ListedTask } from "../tasks/queries.ts";
import { EmptyState, ErrorPanel, Loading } from "../ui/panels.tsx";
import { VirtualList } from "../ui/virtual-list.tsx";
import { AgentBadges, OnlineBadge } from "./agent-badges.tsx";
import type { AgentFilters } from "./filters.ts";
import {
  agentListQuery,
  agentQuery,
  tasksInProgressQuery,
  type AgentDetail,
  type ListedAgent,
} from "./queries.ts";

const ROW_HEIGHT = 84;
const TASKS_SHOWN_MAX = 2;
const REGISTER_COMMAND = curlFor("POST", "/agents", {
  id: "my-worker",
  name: "My worker",
  executor: { type: "worker" },
});

export function AgentList({ filters }: { readonly filters: AgentFilters }) {
  const query = useInfiniteQuery(agentListQuery(filters));
  const { data: inProgress } = useQuery(tasksInProgressQuery);
  if (query.isPending) return <Loading what="the agents" />;
  if (query.data === undefined)
    return <ErrorPanel error={query.error} retry={() => void query.refetch()} />;
  const agents = query.data.pages.flatMap((page) => page.agents);
  const tasksOf = Map.groupBy(inProgress?.tasks ?? [], ({ agentId }) => agentId);
  if (agents.length === 0) {
    const isFiltered = Object.keys(filters).length > 0;
    return (
      <EmptyState
        title={isFiltered ? "No agents match the filters" : "No agents yet"}
        {...(!isFiltered && { command: REGISTER_COMMAND })}
      />
    );
  }
  return (
    <VirtualList
      label="Agents"
      items={agents}
      keyOf={({ id }) => id}
      estimatedHeight={ROW_HEIGHT}
      pages={query}
    >
      {(agent) => <AgentRow agent={agent} tasks={tasksOf.get(agent.id) ?? []} />}
    </VirtualList>
  );
}

function AgentRow({
  agent,
  tasks,
}: {
  readonly agent: ListedAgent;
  readonly tasks: readonly ListedTask[];
}) {
  // The API's list contains no queues, and `online` there ignores claims with keys that are not bound to the agent.
  const hasQueue = agent.executor.type === "worker" || agent.maxConcurrentTasks !== null;
  const { data: detail } = useQuery({ ...agentQuery(agent.id), enabled: hasQueue });
  return (
    <div className="grid gap-x-4 gap-y-1 p-3 lg:grid-cols-[minmax(0,1fr)_minmax(0,1fr)]">
      <div className="grid min-w-0 content-start gap-1">
        <div className="flex flex-wrap items-center gap-2">
          <Link
            to="/agents/$agentId"
            params={{ agentId: agent.id }}
            className="hover:text-accent min-w-0 font-medium break-words hover:underline"
          >
            <bdi>{agent.name}</bdi>
          </Link>
          <OnlineBadge online={detail?.online ?? agent.online} />
          <AgentBadges agent={agent} />
        </div>
        <p className="text-muted truncate text-sm" title={agent.description}>
          <code>{agent.id}</code> <bdi>{agent.description}</bdi>
        </p>
        {agent.paused?.reason !== undefined && (
          <p className="text-warning truncate text-sm" title={agent.paused.reason}>
            Paused: <bdi>{agent.paused.reason}</bdi>
          </p>
        )}
      </div>
      <div className="grid min-w-0 content-start gap-0.5 text-sm">
        <TasksNow tasks={tasks} />
        {detail && <QueueDepth agent={detail} />}
      </div>
    </div>
  );
}

function TasksNow({ tasks }: { readonly tasks: readonly ListedTask[] }) {
  if (tasks.length === 0) return <p className="text-muted">Not working on a task</p>;
  return (
    <ul className="grid gap-0.5">
      {tasks.slice(0, TASKS_SHOWN_MAX).map((task) => (
        <li key={task.taskId} className="truncate">
          <Link
            to="/tasks/$taskId"
            params={{ taskId: task.taskId }}
            title={titleOf(task)}
            className="text-accent hover:underline"
          >
            <bdi>{titleOf(task)}</bdi>
          </Link>
        </li>
      ))}
      {tasks.length > TASKS_SHOWN_MAX && (
        <li className="text-muted">and {tasks.length - TASKS_SHOWN_MAX} more in progress</li>
      )}
    </ul>
  );
}

/** The tasks in the agent's queue. */
function QueueDepth({ agent }: { readonly agent: AgentDetail }) {
  if (agent.queue === undefined) return null;
  const { waiting, running } = agent.queue;
  const slots = agent.maxConcurrentTasks === null ? "" : ` of ${agent.maxConcurrentTasks}`;
  return (
    <p className={waiting > 0 ? "text-warning" : "text-muted"}>
      {running}
      {slots} running, {waiting} waiting in the queue
    </p>
  );
}
